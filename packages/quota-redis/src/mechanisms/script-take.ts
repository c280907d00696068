import type { Draw, Drawn } from '@weir/quota';
import type { RedisCommands } from '../redis-commands.ts';
import { asArray, asNumber, deadOnArrival, notACounter } from '../replies.ts';
import { runScript, scripts } from '../scripts/script.ts';

const VANISHED = 1;
const NO_COUNTER = 2;
const DEADLINE_PASSED = 3;

/**
 * Draws by the healing script: one command for the whole batch, each draw exact, nothing left undated by any crash.
 * @param draws of one slot, at most `MAX_KEYS_PER_SCRIPT`.
 */
export async function takeByScript(
  commands: RedisCommands,
  draws: readonly Draw[],
): Promise<readonly (Drawn | Error)[]> {
  const keys = draws.map((draw) => draw.key);
  const args = draws.flatMap(({ amount, unit, limit, deadline, seen }) => [
    String(amount),
    String(unit),
    String(limit),
    String(deadline),
    String(seen ?? -1),
  ]);
  const reply = asArray(await runScript(commands, scripts.take, keys, args), draws.length * 3);
  return keys.map((key, index) => {
    const state = asNumber(reply[index * 3 + 2]);
    if (state === NO_COUNTER) return notACounter(key);
    if (state === DEADLINE_PASSED) return deadOnArrival(key);
    const drawn = { granted: asNumber(reply[index * 3]), total: asNumber(reply[index * 3 + 1]) };
    return state === VANISHED ? { ...drawn, vanished: true } : drawn;
  });
}

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
  if (!areAlike(draws)) return drawnOf(draws, await runScript(commands, scripts.take, keys, argumentsOf(draws)));
  const drawn = drawnOf(draws, await runScript(commands, scripts['take-alike'], keys, termsOf(draws)));
  await dateTheRemade(commands, draws, drawn);
  return drawn;
}

/** All on the same terms, each on a counter that was seen with its deadline and has room for it. */
function areAlike(draws: readonly Draw[]): draws is readonly [Draw, ...Draw[]] {
  const [first] = draws;
  if (first === undefined) return false;
  const { unit, limit, deadline } = first;
  for (const draw of draws) {
    const fits = draw.seen !== undefined && draw.seen + draw.amount <= limit;
    if (!fits || draw.unit !== unit || draw.limit !== limit || draw.deadline !== deadline) return false;
  }
  return true;
}

/** The terms of draws that are alike, and the amounts that are not that of the first one. */
function termsOf([first, ...others]: readonly [Draw, ...Draw[]]): readonly string[] {
  const { amount, unit, limit, deadline } = first;
  const terms = [String(amount), String(unit), String(limit), String(deadline)];
  for (const [index, other] of others.entries()) {
    if (other.amount !== amount) terms.push(String(index + 2), String(other.amount));
  }
  return terms;
}

function drawnOf(draws: readonly Draw[], answer: unknown): readonly (Drawn | Error)[] {
  const reply = asArray(answer, draws.length);
  // The short form: every draw was granted whole.
  if (reply.length === draws.length) {
    return draws.map(({ amount }, index) => ({ granted: amount, total: asNumber(reply[index]) }));
  }
  asArray(reply, draws.length * 3);
  return draws.map(({ key }, index) => {
    const state = asNumber(reply[index * 3 + 2]);
    if (state === NO_COUNTER) return notACounter(key);
    if (state === DEADLINE_PASSED) return deadOnArrival(key);
    const drawn = { granted: asNumber(reply[index * 3]), total: asNumber(reply[index * 3 + 1]) };
    return state === VANISHED ? { ...drawn, vanished: true } : drawn;
  });
}

/**
 * A total below what was seen belongs to a counter that vanished and was made again by somebody else, who dates it. The one who
 * counts by plain increments may have died before that.
 */
async function dateTheRemade(
  commands: RedisCommands,
  draws: readonly Draw[],
  drawn: readonly (Drawn | Error)[],
): Promise<void> {
  const remade = draws.filter(({ seen = 0 }, index) => {
    const each = drawn[index];
    return each !== undefined && !(each instanceof Error) && each.total - each.granted < seen && each.vanished !== true;
  });
  if (remade.length === 0) return;
  const keys = remade.map(({ key }) => key);
  await runScript(
    commands,
    scripts.date,
    keys,
    remade.map(({ deadline }) => String(deadline)),
  );
}

/** Terms that draws share (those of one quota do) travel once. */
function argumentsOf(draws: readonly Draw[]): readonly [string, string] {
  const terms: number[] = [];
  const numbers: number[] = [];
  const known = new Map<string, number>();
  let last: Draw | undefined;
  let number = 0;
  for (const draw of draws) {
    const { amount, unit, limit, deadline, seen } = draw;
    if (last === undefined || unit !== last.unit || limit !== last.limit || deadline !== last.deadline) {
      const name = `${unit} ${limit} ${deadline}`;
      number = known.get(name) ?? known.size + 1;
      if (number > known.size) {
        known.set(name, number);
        terms.push(unit, limit, deadline);
      }
      last = draw;
    }
    numbers.push(number, amount, seen ?? -1);
  }
  return [JSON.stringify(terms), JSON.stringify(numbers)];
}

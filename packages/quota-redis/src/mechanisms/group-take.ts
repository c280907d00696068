import { QuotaError } from '@weir/quota';
import type { Draw, GroupDrawn, Marker } from '@weir/quota';
import type { RedisCommands } from '../redis-commands.ts';
import { asArray, asNumber, asText, deadOnArrival, notACounter } from '../replies.ts';
import { runScript, scripts } from '../scripts/script.ts';

/**
 * Draws several counters and writes the marker in one step that no crash can cut in two.
 * @param draws and marker of one slot.
 */
export async function takeGroupByScript(
  commands: RedisCommands,
  draws: readonly Draw[],
  marker: Marker | undefined,
): Promise<GroupDrawn> {
  const keys = draws.map((draw) => draw.key);
  if (marker !== undefined) keys.push(marker.key);
  const args = [
    String(draws.length),
    marker?.note ?? '',
    marker === undefined ? '' : String(marker.deadline),
    ...draws.flatMap(({ amount, limit, deadline, seen }) => [amount, limit, deadline, seen ?? -1].map(String)),
  ];
  const reply = asArray(await runScript(commands, scripts['take-all'], keys, args), 2 + draws.length * 3);
  const outcome = asText(reply[0]);
  const unfit = draws.flatMap((_, index) => (asNumber(reply[3 + index * 3]) === 1 ? [index] : []));
  if (outcome === 'corrupt') throw notACounter(keys[unfit[0] ?? 0] ?? '');
  if (outcome === 'late') throw deadOnArrival(keys[0] ?? '');
  const drawn = draws.map(({ amount }, index) => {
    const granted = outcome === 'charged' ? amount : 0;
    const total = asNumber(reply[2 + index * 3]);
    return asNumber(reply[4 + index * 3]) === 1 ? { granted, total, vanished: true } : { granted, total };
  });
  if (outcome === 'charged') return { outcome, draws: drawn, refused: [] };
  if (outcome === 'refused') return { outcome, draws: drawn, refused: unfit };
  if (outcome === 'replayed' || outcome === 'unknown')
    return { outcome, draws: drawn, refused: [], note: asText(reply[1]) ?? '' };
  throw new QuotaError('store-unavailable', `the script answered ${outcome ?? 'nothing'}`);
}

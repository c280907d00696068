import type { RedisCommands } from '../redis-commands.ts';
import { slotOf } from '../slots.ts';

/** Most keys that one script handles, so that it holds the server up for well under a millisecond. */
export const MAX_KEYS_PER_SCRIPT = 256;

/** Whether one step can hold all these keys. */
export function shareSlot(commands: RedisCommands, keys: readonly string[]): boolean {
  const slots = new Set(keys.map((key) => slotOf(commands.keyPrefix + key)));
  return !commands.isCluster || slots.size <= 1;
}

/**
 * Runs `work` once per slot of a cluster, or once on a single server, in chunks, all at the same time, and puts the results
 * back in the order of the items. A chunk that fails gives its error to each of its items; when all failed, the first is thrown.
 */
export async function perSlot<Item, Result>(
  commands: RedisCommands,
  items: readonly Item[],
  keyOf: (item: Item) => string,
  work: (chunk: readonly Item[]) => Promise<readonly (Result | Error)[]>,
): Promise<readonly (Result | Error)[]> {
  if (items.length === 0) return [];
  // Most batches: nothing to sort.
  if (!commands.isCluster && items.length <= MAX_KEYS_PER_SCRIPT) return work(items);
  const results: (Result | Error)[] = [];
  let failed = 0;
  await Promise.all(
    chunks(commands, items, keyOf).map(async (chunk) => {
      try {
        const done = await work(chunk.map(({ item }) => item));
        for (const [position, result] of done.entries()) {
          const index = chunk[position]?.index;
          if (index !== undefined) results[index] = result;
        }
      } catch (error) {
        const failure = error instanceof Error ? error : new Error(String(error));
        for (const { index } of chunk) results[index] = failure;
        failed += chunk.length;
      }
    }),
  );
  const [first] = results;
  if (failed === items.length && first instanceof Error) throw first;
  return results;
}

interface Indexed<Item> {
  readonly item: Item;
  readonly index: number;
}

function chunks<Item>(
  commands: RedisCommands,
  items: readonly Item[],
  keyOf: (item: Item) => string,
): readonly (readonly Indexed<Item>[])[] {
  const all: Indexed<Item>[][] = [];
  const open = new Map<number, Indexed<Item>[]>();
  items.forEach((item, index) => {
    const slot = commands.isCluster ? slotOf(commands.keyPrefix + keyOf(item)) : 0;
    let chunk = open.get(slot);
    if (chunk === undefined || chunk.length === MAX_KEYS_PER_SCRIPT) {
      chunk = [];
      open.set(slot, chunk);
      all.push(chunk);
    }
    chunk.push({ item, index });
  });
  return all;
}

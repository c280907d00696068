/**
 * Runs something for every item at once, except that items of one key wait for each other, in order.
 * @returns one result per item, an `Error` for an item that failed; rejects with the first error when all failed.
 */
export async function inKeyOrder<Item extends { readonly key: string }, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<readonly (Result | Error)[]> {
  const last = items.length === 1 ? undefined : new Map<string, Promise<unknown>>();
  const results = await Promise.all(
    items.map((item) => {
      const before = last?.get(item.key);
      const result = before === undefined ? caught(run, item) : before.then(() => caught(run, item));
      last?.set(item.key, result);
      return result;
    }),
  );
  const [first] = results;
  if (first instanceof Error && results.every((result) => result instanceof Error)) throw first;
  return results;
}

async function caught<Item, Result>(run: (item: Item) => Promise<Result>, item: Item): Promise<Result | Error> {
  try {
    return await run(item);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

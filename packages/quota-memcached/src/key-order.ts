/**
 * Runs something for every item at once, except that items of one key wait for each other, in order.
 * @returns one result per item, an `Error` for an item that failed; rejects with the first error when all failed.
 */
export async function inKeyOrder<Item extends { readonly key: string }, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<readonly (Result | Error)[]> {
  const last = new Map<string, Promise<unknown>>();
  const results = await Promise.all(
    items.map((item) => {
      const before = last.get(item.key);
      const result = caught(before === undefined ? run(item) : before.then(() => run(item)));
      if (items.length > 1) last.set(item.key, result);
      return result;
    }),
  );
  const [first] = results;
  if (first instanceof Error && results.every((result) => result instanceof Error)) throw first;
  return results;
}

async function caught<Result>(running: Promise<Result>): Promise<Result | Error> {
  try {
    return await running;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

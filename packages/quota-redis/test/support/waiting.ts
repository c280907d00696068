import { setTimeout as wait } from 'node:timers/promises';

/** What a call failed with; `undefined` when it succeeded. */
export async function failureOf(call: () => Promise<unknown>): Promise<unknown> {
  try {
    await call();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Calls until it succeeds, at most for ten seconds; the last failure is thrown. */
export async function eventually<T>(call: () => Promise<T>): Promise<T> {
  const giveUpMs = performance.now() + 10_000;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (performance.now() > giveUpMs) throw error;
      await wait(20);
    }
  }
}

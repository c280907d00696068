/** Longest that one question to a server may take, in ms. */
export const PATIENCE_MS = 5_000;

/** @throws Error when it takes too long; what it does goes on. */
export async function withinPatience<T>(promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${PATIENCE_MS / 1_000} s`)), PATIENCE_MS);
  });
  return Promise.race([promise, tooLong]).finally(() => clearTimeout(timer));
}

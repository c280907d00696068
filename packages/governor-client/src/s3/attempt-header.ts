/**
 * Which attempt a request is, from the header by which AWS SDKs tell servers (`amz-sdk-request: attempt=2; max=3`).
 * @param value of that header; anything else counts as a first attempt, which is never cheaper
 * @returns 0 for the first
 */
export function attemptOf(value: unknown): number {
  if (typeof value !== 'string') return 0;
  const attempt = /(?:^|;)\s*attempt=(\d{1,9})\s*(?:;|$)/.exec(value)?.[1];
  return attempt === undefined ? 0 : Math.max(0, Number(attempt) - 1);
}

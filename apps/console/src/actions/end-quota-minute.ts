import type { ConsoleContext } from './context.ts';

const MINUTE_MS = 60_000;

/** Writes down what the quotas decided in the minute that has just ended. */
export async function endQuotaMinute(context: ConsoleContext): Promise<void> {
  const atMs = Math.floor(context.clock.nowMs() / MINUTE_MS) * MINUTE_MS - MINUTE_MS;
  const minutes = context.quotas.endMinute(atMs);
  await context.storage.transaction((stores) => stores.quotas.addMinutes(minutes));
}

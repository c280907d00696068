import type { QuotaMinute } from '../ports/quota-catalog.ts';
import type { ConsoleContext } from './context.ts';

const MINUTE_MS = 60_000;

/** Minutes that wait while the database cannot be written, at most: some hours of a few quotas. */
const MAX_UNWRITTEN = 10_000;

/**
 * Writes down what the quotas decided in the minute that has just ended.
 * @param unwritten minutes that could not be written: kept from one call to the next
 */
export async function endQuotaMinute(context: ConsoleContext, unwritten: QuotaMinute[]): Promise<void> {
  const atMs = Math.floor(context.clock.nowMs() / MINUTE_MS) * MINUTE_MS - MINUTE_MS;
  unwritten.push(...context.quotas.endMinute(atMs));
  unwritten.splice(0, unwritten.length - MAX_UNWRITTEN);
  const minutes = [...unwritten];
  await context.storage.transaction((stores) => stores.quotas.addMinutes(minutes));
  unwritten.length = 0;
}

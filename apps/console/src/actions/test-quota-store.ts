import type { QuotaStoreInput, QuotaStoreTestResult } from '@weir/protocol';
import type { ConsoleContext } from './context.ts';
import { inputTarget, requireAllowedStore, storeUnreachable } from './quota-store-target.ts';

/**
 * Reaches a store, finds out what it can do and looks at its health; nothing is saved, and what is written expires by itself.
 * @throws ConsoleError validation-failed, endpoint-forbidden-address, store-unreachable
 */
export async function testQuotaStore(context: ConsoleContext, input: QuotaStoreInput): Promise<QuotaStoreTestResult> {
  const target = inputTarget(input);
  await requireAllowedStore(context, input.address);
  const startMs = context.clock.steadyMs();
  try {
    const connection = await context.quotaConnector.connect(target);
    try {
      const { capability, mechanism } = await connection.store.probe();
      const { entries, undated } = await connection.store.health();
      const latencyMs = context.clock.steadyMs() - startMs;
      return { latencyMs, capability, mechanism, entries: entries ?? null, undated: undated ?? null };
    } finally {
      await connection.close();
    }
  } catch (error) {
    throw storeUnreachable(error);
  }
}

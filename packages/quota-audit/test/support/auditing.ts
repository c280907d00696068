import { setTimeout as sleep } from 'node:timers/promises';
import {
  auditKeys,
  Pacer,
  repair,
  reportOf,
  type AuditedStore,
  type AuditOptions,
  type AuditReport,
  type FixRules,
  type RepairCounts,
} from '../../src/index.ts';
import { MemoryJournal } from './memory-journal.ts';

const monotonic = (): number => performance.now();
const policy = { maxLifetimeMs: 400 * 86_400_000 };

/** As fast as the server answers. */
function unpaced(): Pacer {
  return new Pacer(10_000_000, monotonic, sleep);
}

/** Audits without a pace and returns the report. */
export async function auditOf(store: AuditedStore, options: Partial<AuditOptions> = {}): Promise<AuditReport> {
  const { tally, atMs } = await auditKeys({ store, pacer: unpaced(), monotonic }, { policy, ...options });
  return reportOf(tally, atMs);
}

/** Audits, calls `between`, and repairs. */
export async function repairOf(
  store: AuditedStore,
  rules: Partial<FixRules> & Pick<FixRules, 'mode'>,
  between: () => Promise<unknown> = () => Promise.resolve(),
): Promise<{ counts: RepairCounts; journal: MemoryJournal }> {
  const journal = new MemoryJournal();
  const parts = { store, pacer: unpaced(), monotonic };
  const { tally } = await auditKeys(parts, { policy }, { journal, about: 'test' });
  await between();
  const counts = await repair({ ...parts, journal }, tally, { rules: { ...policy, ...rules } });
  return { counts, journal };
}

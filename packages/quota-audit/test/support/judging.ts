import { judge } from '../../src/findings/judge.ts';
import { reportOf, type AuditReport } from '../../src/findings/report.ts';
import { newTally, tallyContrary, tallyEntry, type Tally } from '../../src/findings/tally.ts';
import { recognise } from '../../src/names/recognise.ts';
import type { Entry } from './memory-store.ts';

/** Noon of a Thursday in the middle of a month. */
export const NOW_MS: number = Date.UTC(2026, 9, 15, 12);

export const POLICY = { maxLifetimeMs: 400 * 86_400_000 };

/** What an audit of these entries would have in its tally. */
export function tallyOf(entries: Iterable<readonly [string, Entry]>, nowMs: number = NOW_MS): Tally {
  const tally = newTally();
  for (const [key, entry] of entries) {
    tally.keys += 1;
    const reading = recognise(key, { nowMs, claimed: [] });
    if (reading?.is === 'contrary') tallyContrary(tally, reading);
    if (reading?.is !== 'counter') continue;
    if (reading.contrary !== undefined) tallyContrary(tally, reading.contrary);
    const verdict = judge(reading.name, entry, POLICY, nowMs);
    tallyEntry(tally, reading.name, entry, verdict, { key, sizeBytes: undefined, nowMs });
  }
  return tally;
}

/** And in its report. */
export function reportOn(entries: Iterable<readonly [string, Entry]>, nowMs: number = NOW_MS): AuditReport {
  return reportOf(tallyOf(entries, nowMs), nowMs);
}

/** A number without a deadline. */
export function undated(value = '7'): Entry {
  return { value, deadlineMs: undefined };
}

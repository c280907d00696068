import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { auditKeys, Pacer, repair, reportOf, summarise, type FixMode } from '../../src/index.ts';
import { MemoryAuditedStore, type Entry } from '../support/memory-store.ts';
import { MemoryJournal } from '../support/memory-journal.ts';
import { NOW_MS, POLICY } from '../support/judging.ts';

const DAY_MS = 86_400_000;

function isoDay(daysAgo: number): string {
  return new Date(NOW_MS - daysAgo * DAY_MS).toISOString().slice(0, 10);
}

/** Keys of several families in all states, and others. */
const populations = fc
  .array(
    fc.record({
      key: fc.oneof(
        fc.nat(200).map((n) => `rlflx:u${n}`),
        fc.tuple(fc.nat(20), fc.nat(12)).map(([n, ago]) => `quota:u${n}:${isoDay(ago)}`),
        fc.nat(200).map((n) => `sess:${n}`),
      ),
      value: fc.constantFrom('1', '42', '-1', 'text', null),
      lifeMs: fc.option(fc.constantFrom(60_000, DAY_MS, 900 * DAY_MS), { nil: undefined }),
    }),
    { maxLength: 120 },
  )
  .map((list) => {
    const entries = new Map<string, Entry>();
    for (const { key, value, lifeMs } of list) {
      entries.set(key, { value, deadlineMs: lifeMs === undefined ? undefined : NOW_MS + lifeMs });
    }
    return entries;
  });

function copyOf(entries: Map<string, Entry>): Map<string, Entry> {
  return structuredClone(entries);
}

/** Each reading of the clock is 3 s later, so that every page makes a checkpoint due. */
function parts(store: MemoryAuditedStore) {
  let ms = 0;
  const monotonic = (): number => (ms += 3_000);
  return { store, monotonic, pacer: new Pacer(1e6, monotonic, () => Promise.resolve()) };
}

/** A signal that is given at the n-th progress. */
function interruption(after: number): { signal: AbortSignal; onProgress: () => void } {
  const controller = new AbortController();
  let left = after;
  return {
    signal: controller.signal,
    onProgress: () => {
      left -= 1;
      if (left === 0) controller.abort(new Error('interrupted'));
    },
  };
}

function onlyInterrupted(error: unknown): void {
  if (!(error instanceof Error) || error.message !== 'interrupted') throw error;
}

const rules = (mode: FixMode) => ({ mode, lifetimeMs: 3_600_000, ...POLICY });

async function audited(entries: Map<string, Entry>) {
  const store = new MemoryAuditedStore(entries, NOW_MS);
  const journal = new MemoryJournal();
  const result = await auditKeys(parts(store), { policy: POLICY }, { journal, about: 'a' });
  return { store, journal, ...result };
}

describe('an audit', () => {
  it('changes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(populations, async (entries) => {
        const before = copyOf(entries);
        const { store } = await audited(entries);
        expect(store.changes).toBe(0);
        expect(entries).toEqual(before);
      }),
    );
  });

  it('that was interrupted at any page and continued finds and plans what an uninterrupted one does', async () => {
    await fc.assert(
      fc.asyncProperty(populations, fc.integer({ min: 1, max: 12 }), async (entries, after) => {
        const whole = await audited(copyOf(entries));
        const journal = new MemoryJournal();
        const store = new MemoryAuditedStore(entries, NOW_MS);
        const first = auditKeys(parts(store), { policy: POLICY, ...interruption(after) }, { journal, about: 'a' });
        await first.catch(onlyInterrupted);
        const saved = await journal.load();
        if (saved !== undefined) await journal.cut(saved.listing.planBytes);
        else await journal.begin();
        const recording = { journal, about: 'a', ...(saved === undefined ? {} : { from: saved.listing }) };
        const { tally } =
          saved?.listing.phase === 'listed'
            ? saved.listing
            : await auditKeys(parts(store), { policy: POLICY }, recording);
        expect(reportOf(tally, NOW_MS)).toEqual(reportOf(whole.tally, NOW_MS));
        expect(journal.plan).toEqual(whole.journal.plan);
      }),
    );
  });

  it('tells of progress what the report then says, interrupted or not, and counts no names that are not taken for counters', async () => {
    await fc.assert(
      fc.asyncProperty(populations, fc.nat(40), fc.nat(12), async (entries, events, after) => {
        // One date and no word of limiters: nothing says that these count.
        for (let n = 0; n < events; n += 1)
          entries.set(`event:u${n}:${isoDay(3)}`, { value: '7', deadlineMs: undefined });
        const store = new MemoryAuditedStore(entries, NOW_MS);
        const journal = new MemoryJournal();
        const { signal, onProgress } = interruption(after);
        let found = 0;
        const options = (given: { signal?: AbortSignal }) => ({
          policy: POLICY,
          ...given,
          onProgress: (progress: { found: number }) => {
            ({ found } = progress);
            onProgress();
          },
        });
        await auditKeys(parts(store), options({ signal }), { journal, about: 'a' }).catch(onlyInterrupted);
        const listing = (await journal.load())?.listing;
        if (listing !== undefined) await journal.cut(listing.planBytes);
        const from = listing === undefined ? {} : { from: listing };
        const { tally } =
          listing?.phase === 'listed'
            ? listing
            : await auditKeys(parts(store), options({}), { journal, about: 'a', ...from });
        expect(found).toBe(reportOf(tally, NOW_MS).findings.keys);
      }),
    );
  });

  it('sees only keys that match', async () => {
    const entries = new Map([
      ['rlflx:a', { value: '1', deadlineMs: undefined }],
      ['rlflx:b', { value: '1', deadlineMs: undefined }],
    ]);
    const store = new MemoryAuditedStore(entries, NOW_MS);
    const { tally } = await auditKeys(parts(store), { policy: POLICY, match: '*:b' });
    expect(reportOf(tally, NOW_MS).findings.undated.keys).toBe(1);
  });
});

describe('a repair', () => {
  it('by date leaves nothing undated, ended or too long, keeps every count, and touches nothing that it did not list', async () => {
    await fc.assert(
      fc.asyncProperty(populations, async (entries) => {
        const before = copyOf(entries);
        const { store, journal, tally } = await audited(entries);
        await repair({ ...parts(store), journal }, tally, { rules: rules('date') });
        const listed = new Set(journal.plan.map(({ key }) => key));
        for (const [key, entry] of before) {
          const { value, deadlineMs } = entries.get(key) ?? {};
          expect({ value, deadlineMs }).toEqual(listed.has(key) ? { value: entry.value, deadlineMs } : entry);
        }
        const { findings } = reportOf((await audited(entries)).tally, NOW_MS);
        expect(findings).toMatchObject({ undated: { keys: 0 }, ended: { keys: 0 }, tooLong: 0 });
      }),
    );
  });

  it('by deletion removes counters of ended periods only', async () => {
    await fc.assert(
      fc.asyncProperty(populations, async (entries) => {
        const before = copyOf(entries);
        const { store, journal, tally } = await audited(entries);
        await repair({ ...parts(store), journal }, tally, { rules: rules('delete') });
        const ended = new Set(journal.plan.filter((line) => line.ended).map(({ key }) => key));
        for (const [key, entry] of before) {
          expect(entries.get(key) ?? { ...entry, ended: ended.has(key) }).toEqual(
            entries.has(key) ? entry : { ...entry, ended: true },
          );
        }
      }),
    );
  });

  it('that was interrupted and continued leaves what an uninterrupted one leaves', async () => {
    const modes = fc.constantFrom<FixMode>('date', 'delete');
    const large = fc.integer({ min: 60, max: 250 });
    await fc.assert(
      fc.asyncProperty(large, modes, fc.integer({ min: 1, max: 6 }), async (keys, mode, after) => {
        const entries = new Map<string, Entry>();
        for (let n = 0; n < keys; n += 1) {
          entries.set(`quota:u${n}:${isoDay(n % 9)}`, { value: String(n), deadlineMs: undefined });
        }
        const whole = copyOf(entries);
        const other = await audited(whole);
        await repair({ ...parts(other.store), journal: other.journal }, other.tally, { rules: rules(mode) });

        const { store, journal, tally } = await audited(entries);
        const options = { rules: rules(mode), ...interruption(after) };
        const first = repair({ ...parts(store), journal }, tally, options);
        await first.catch(onlyInterrupted);
        const from = (await journal.load())?.repair;
        await repair({ ...parts(store), journal }, tally, {
          rules: rules(mode),
          ...(from === undefined ? {} : { from }),
        });
        expect([...entries.keys()]).toEqual([...whole.keys()]);
        for (const [key, entry] of entries) {
          expect(entry.value).toBe(whole.get(key)?.value);
          expect(entry.deadlineMs === undefined).toBe(whole.get(key)?.deadlineMs === undefined);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('leaves alone what changed after it was listed: dated, counted on, overwritten, gone', async () => {
    const entries = new Map<string, Entry>(
      ['dated', 'counted', 'overwritten', 'gone', 'same'].map((name) => [
        `quota:${name}:${isoDay(9)}`,
        { value: '5', deadlineMs: undefined },
      ]),
    );
    const { store, journal, tally } = await audited(entries);
    entries.get(`quota:dated:${isoDay(9)}`)!.deadlineMs = NOW_MS + 500;
    entries.get(`quota:counted:${isoDay(9)}`)!.value = '6';
    entries.get(`quota:overwritten:${isoDay(9)}`)!.value = 'text';
    entries.delete(`quota:gone:${isoDay(9)}`);
    const counts = await repair({ ...parts(store), journal }, tally, { rules: rules('delete') });
    expect(counts).toMatchObject({ done: 1, kept: 1, changed: 2, gone: 1, failed: 0 });
    expect(entries.has(`quota:same:${isoDay(9)}`)).toBe(false);
    expect(entries.size).toBe(3);
  });

  it('says beforehand what it would do', async () => {
    const entries = new Map<string, Entry>([
      [`quota:a:${isoDay(9)}`, { value: '5', deadlineMs: undefined }],
      [`quota:a:${isoDay(0)}`, { value: '5', deadlineMs: undefined }],
      ['rlflx:x', { value: '5', deadlineMs: undefined }],
    ]);
    const { store, journal, tally } = await audited(entries);
    const date = await summarise({ store, journal }, tally, { mode: 'date', ...POLICY });
    expect(date).toEqual({ lines: 3, changes: 2, spared: { 'no-lifetime': 1 } });
    const remove = await summarise({ store, journal }, tally, { mode: 'delete', ...POLICY });
    expect(remove).toEqual({ lines: 3, changes: 1, spared: { 'not-ended': 2 } });
  });
});

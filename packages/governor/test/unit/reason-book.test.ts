import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReasonBook, type NotedGrant, type Page } from '../../src/reason-book.ts';

const tps = fc.double({ min: 0, max: 1e9, noNaN: true });
const count = fc.nat(1_000_000);
const firstGrant = fc.record({
  rule: fc.constant('first-grant' as const),
  limitTps: tps,
  onlineAgents: count,
  shareTps: tps,
});
const reclaim = fc.record({
  rule: fc.constant('reclaim' as const),
  limitTps: tps,
  activeAgents: count,
  hungryAgents: count,
  appetite: fc.constantFrom('hungry' as const, 'steady' as const, 'slack' as const),
  actualTps: fc.option(tps),
  runsWithTps: tps,
  baseTps: tps,
  givenBackTps: tps,
  bonusTps: tps,
  scale: fc.double({ min: 0, max: 1, noNaN: true }),
  shareTps: tps,
});
const maxMin = fc.record({
  rule: fc.constant('max-min' as const),
  limitTps: tps,
  activeAgents: count,
  hungryAgents: count,
  useTps: fc.option(tps),
  wants: fc.constantFrom('use' as const, 'all' as const, 'new' as const),
  weight: tps,
  floorTps: tps,
  headroomPercent: tps,
  levelTps: fc.option(tps),
  spareTps: tps,
  shareTps: tps,
});
const grant: fc.Arbitrary<NotedGrant> = fc.record({
  windowNumber: fc.integer({ min: 1, max: 2 ** 40 }),
  grantedAtMs: fc.double({ min: -1e12, max: 1e15, noNaN: true }),
  reason: fc.oneof(firstGrant, reclaim, maxMin),
  windowSeconds: tps,
  computedCredits: count,
  creditBudget: count,
});

describe('the book of reasons', () => {
  it('gives back the latest two grants of every agent as they were noted, whoever comes and goes', () => {
    const steps = fc.array(fc.tuple(fc.nat(5), fc.option(grant, { freq: 4 })), { maxLength: 80 });
    fc.assert(
      fc.property(steps, (history) => {
        const book = new ReasonBook('e');
        const pages = new Map<number, { page: Page; noted: NotedGrant[] }>();
        for (const [who, noted] of history) {
          const known = pages.get(who);
          if (noted === null) {
            if (known !== undefined) book.close(known.page);
            pages.delete(who);
            continue;
          }
          const { page, noted: before } = known ?? { page: book.open(), noted: [] };
          book.note(page, noted);
          pages.set(who, { page, noted: [noted, ...before].slice(0, 2) });
          for (const each of pages.values()) {
            expect(book.read(each.page)).toEqual(each.noted.map((one) => ({ epoch: 'e', ...one })));
          }
        }
      }),
    );
  });

  it('keeps the pages of a fleet apart that is larger than a block', () => {
    const book = new ReasonBook('e');
    const reason = { rule: 'first-grant', limitTps: 100, onlineAgents: 1, shareTps: 100 } as const;
    const noted = { grantedAtMs: 0, reason, windowSeconds: 30, computedCredits: 3_000, creditBudget: 3_000 };
    const pages = Array.from({ length: 5_000 }, () => book.open());
    for (const [index, page] of pages.entries()) book.note(page, { windowNumber: index + 1, ...noted });
    for (const index of [0, 2_047, 2_048, 4_999]) {
      expect(book.read(pages[index] ?? -1)).toEqual([{ epoch: 'e', windowNumber: index + 1, ...noted }]);
    }
  });

  it('knows what was granted in the end when the guard found less free', () => {
    const book = new ReasonBook('e');
    const page = book.open();
    book.cut(page, 1);
    expect(book.read(page)).toEqual([]);
    const reason = { rule: 'first-grant', limitTps: 100, onlineAgents: 1, shareTps: 100 } as const;
    const noted = { grantedAtMs: 0, reason, windowSeconds: 30, computedCredits: 3_000, creditBudget: 3_000 };
    book.note(page, { windowNumber: 1, ...noted });
    book.cut(page, 1_000);
    expect(book.read(page)).toEqual([{ epoch: 'e', windowNumber: 1, ...noted, creditBudget: 1_000 }]);
  });
});

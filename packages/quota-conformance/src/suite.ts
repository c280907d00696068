import { describe, expect, it } from 'vitest';
import { contentionCases } from './contention.ts';
import { countingCases } from './counting.ts';
import { datingCases } from './dating.ts';
import { engineCases } from './engine-cases.ts';
import { lossCases, outageCases } from './faults.ts';
import { groupCases, valueCases } from './groups.ts';
import { withBench, type Case, type SuiteOptions } from './harness.ts';

/**
 * Registers the vitest tests that every Weir store passes. Differences between stores are declared in `options`; no test is
 * skipped for one of them.
 * @param name shown in the report.
 */
export function describeStore(name: string, options: SuiteOptions): void {
  const sections: Readonly<Record<string, readonly Case[]>> = {
    profile: profileCases(options),
    counting: countingCases,
    deadlines: datingCases,
    groups: groupCases,
    values: valueCases,
    contention: contentionCases,
    outages: outageCases,
    losses: lossCases,
    engine: engineCases,
  };
  describe(`store ${name}`, () => {
    for (const [section, cases] of Object.entries(sections)) {
      describe(`${section} of ${name}`, () => {
        for (const { guarantee, check } of cases) {
          it(`${section}: ${guarantee}`, async () => {
            expect.hasAssertions();
            await withBench(options, check);
          });
        }
      });
    }
  });
}

function profileCases(options: SuiteOptions): readonly Case[] {
  return [
    {
      guarantee: 'is what it declares, before and after the probe',
      check: async ({ store }) => {
        expect(store.profile.exact).toBe(true);
        const probed = await store.probe();
        expect(store.profile).toEqual(probed);
        expect(probed).toMatchObject({
          capability: options.capability,
          exact: true,
          atomicGroups: options.atomicGroups ?? true,
        });
        expect(probed.mechanism).not.toBe('');
        expect(probed.maxKeyBytes).toBeGreaterThanOrEqual(250);
      },
    },
    {
      guarantee: 'tells its health and, where it has a clock, its time',
      check: async ({ store, now }) => {
        const health = await store.health();
        expect(health.evicted ?? 0).toBeGreaterThanOrEqual(0);
        expect(health.undated ?? 0).toBeGreaterThanOrEqual(0);
        const time = await store.time().catch((error: unknown) => error);
        if (typeof time === 'number') expect(Math.abs(time - now())).toBeLessThan(2_000);
        else expect(time).toMatchObject({ code: 'store-unavailable' });
      },
    },
  ];
}

import { QuotaError } from '@weir/quota';
import { expect } from 'vitest';
import { draw, takeOne } from './counting.ts';
import { eventually, type Bench, type Case } from './harness.ts';

/** Counter and marker are dated, and none outlives what was asked for. */
async function expectDated(b: Bench, keys: readonly string[], latestMs: number): Promise<void> {
  for (const key of keys) {
    const held = await b.harness.deadlineOf(key);
    expect(held).not.toBe('undated');
    expect(held === 'absent' ? 0 : held).toBeLessThanOrEqual(latestMs + b.slackMs);
  }
}

/** What the call failed with; `undefined` when it succeeded. */
async function failureOf(call: () => Promise<unknown>): Promise<unknown> {
  try {
    await call();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Faults during which calls fail. A harness that cannot make one runs the same check without it. */
export const outageCases: readonly Case[] = (['loseReply', 'stall', 'halfOpen', 'refuseWrites'] as const).map(outage);

function outage(name: 'loseReply' | 'stall' | 'halfOpen' | 'refuseWrites'): Case {
  return {
    guarantee: `${name}: fails as a QuotaError or succeeds, recovers, leaves nothing undated, charges a marked take once`,
    check: async (b) => {
      const faults = b.harness.faults;
      const fault = (during: () => Promise<unknown>): Promise<unknown> => faults?.[name]?.(during) ?? during();
      const plain = draw(b, b.key(`${name}-plain`), 3, 100);
      const marked = draw(b, b.key(`${name}-marked`), 3, 100);
      const marker = { key: b.key(`${name}-marker`), note: 'n', deadline: marked.deadline };
      await takeOne(b.store, plain);
      const failures: unknown[] = [];
      await fault(async () => failures.push(await failureOf(() => takeOne(b.store, { ...plain, seen: 3 }))));
      await fault(async () => failures.push(await failureOf(() => b.store.takeAll([marked], marker))));
      expect(failures.filter((error) => error !== undefined && !(error instanceof QuotaError))).toEqual([]);

      await eventually(b.recoveryMs, () => b.store.takeAll([marked], marker));
      await b.store.takeAll([marked], marker);
      const [total] = await b.store.read([marked.key]);
      expect([0, 3]).toContain(total ?? 0);
      const again = await takeOne(b.store, plain);
      expect(again.granted).toBe(3);
      expect(again.total).toBeLessThanOrEqual(9);
      await expectDated(b, [plain.key, marked.key, marker.key], plain.deadline + 1_000);
    },
  };
}

/** Faults that lose data or state of the server. */
export const lossCases: readonly Case[] = (['restart', 'flush', 'forgetScripts'] as const).map(loss);

function loss(name: 'restart' | 'flush' | 'forgetScripts'): Case {
  return {
    guarantee: `${name}: counts on within the limit, dates what it writes and says when a counter vanished`,
    check: async (b) => {
      const one = draw(b, b.key(name), 5, 12);
      await takeOne(b.store, one);
      await takeOne(b.store, { ...one, seen: 5 });
      await b.harness.faults?.[name]?.();
      const after = await eventually(b.recoveryMs, () => takeOne(b.store, { ...one, seen: 10 }));
      // Either the data survived, and the take does not fit, or the counter began anew and says so.
      expect([
        [0, 10, false],
        [5, 5, true],
      ]).toContainEqual([after.granted, after.total, after.vanished ?? false]);
      const group = draw(b, b.key(`${name}-group`), 1, 10);
      expect(await b.store.takeAll([group])).toMatchObject({ outcome: 'charged' });
      await expectDated(b, [one.key, group.key], group.deadline);
    },
  };
}

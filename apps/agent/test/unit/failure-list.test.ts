import {
  copyFailure,
  MAX_BODY_BYTES,
  MAX_FAILURES_PER_JOB,
  MAX_FAILURES_PER_REPORT,
  type CopyFailure,
} from '@weir/protocol';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FailureList } from '../../src/shards/failure-list.ts';

function failure(key: string, message: string = 'gone'): CopyFailure {
  return { key, code: 'NoSuchKey', message, requestId: null };
}

describe('failures that wait for a report', () => {
  test('leave in order, in batches that fit a report, and stay until they are delivered', () => {
    const list = new FailureList();
    for (let index = 0; index < 450; index++) list.add(failure(`k${index}`));
    const seen: string[] = [];
    for (const expected of [MAX_FAILURES_PER_REPORT, MAX_FAILURES_PER_REPORT, 50, 0]) {
      expect(list.batch()).toEqual(list.batch());
      const batch = list.batch();
      expect(batch).toHaveLength(expected);
      seen.push(...batch.map(({ key }) => key));
      list.delivered(batch.length);
    }
    expect(seen).toEqual(Array.from({ length: 450 }, (_, index) => `k${index}`));
  });

  test('never make a body that the console refuses, whatever their keys and messages hold', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('\u0001', '"', 'x', '\u{1F600}'),
        fc.integer({ min: 1, max: 400 }),
        (character, count) => {
          const list = new FailureList();
          const key = character.repeat(1_024 / Buffer.byteLength(character));
          for (let index = 0; index < count; index++) list.add(failure(key, character.repeat(5_000)));
          while (list.size > 0) {
            const batch = list.batch();
            expect(batch.length).toBeGreaterThan(0);
            expect(Buffer.byteLength(JSON.stringify(batch))).toBeLessThan(MAX_BODY_BYTES - 10_000);
            for (const sent of batch) expect(copyFailure.safeParse(sent).error).toBeUndefined();
            list.delivered(batch.length);
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  test('are bounded in memory: what the console would not list either is only counted', () => {
    const list = new FailureList();
    for (let index = 0; index < MAX_FAILURES_PER_JOB + 7; index++) list.add(failure('k'));
    expect(list.size).toBe(MAX_FAILURES_PER_JOB);
    expect(list.dropped).toBe(7);
  });

  test('are cut to what the wire carries', () => {
    const list = new FailureList();
    list.add({ key: 'k', code: 'C'.repeat(100), message: 'm'.repeat(9_000), requestId: 'r'.repeat(500) });
    list.add({ key: 'k', code: '', message: '', requestId: null });
    for (const sent of list.batch()) expect(copyFailure.safeParse(sent).error).toBeUndefined();
    expect(list.batch()[1]?.code).toBe('unknown');
  });
});

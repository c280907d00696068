import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { divisionOf, USUAL_WINDOWS_MS } from '../../src/periods/divisions.ts';
import { NOW_MS } from '../support/judging.ts';

const DAY_MS = 86_400_000;

describe('numbered windows', () => {
  it('finds the window that a number means, for every usual length and any time of the last years', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...USUAL_WINDOWS_MS),
        fc.integer({ min: NOW_MS - 900 * DAY_MS, max: NOW_MS }),
        (lengthMs, atMs) => {
          const index = Math.floor(atMs / lengthMs);
          expect(divisionOf(index, NOW_MS)).toEqual({ startMs: index * lengthMs, endMs: (index + 1) * lengthMs });
        },
      ),
    );
  });

  it('says nothing of a number that fits no usual length', () => {
    expect(divisionOf(5, NOW_MS)).toBeUndefined();
    expect(divisionOf(Math.floor(NOW_MS / 90_000), NOW_MS)).toBeUndefined();
    expect(divisionOf(Number.MAX_SAFE_INTEGER, NOW_MS)).toBeUndefined();
  });
});

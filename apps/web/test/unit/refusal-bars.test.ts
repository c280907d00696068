import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { axisTimes, refusalPicture, roundTop } from '../../src/charts/refusal-bars.ts';

const column = fc.option(fc.record({ admitted: fc.nat(5_000), refused: fc.nat(5_000) }));

it('draws every point that has something, none beyond the top, and a gap for each time without a console', () => {
  fc.assert(
    fc.property(fc.array(column, { minLength: 1, maxLength: 300 }), (points) => {
      const picture = refusalPicture({
        atMs: points.map((_, point) => point * 300_000),
        admitted: points.map((each) => each?.admitted ?? null),
        refused: points.map((each) => each?.refused ?? null),
        subjectsAtLimit: points.map(() => null),
      });
      const filled = points.filter((each) => each !== null && each.admitted + each.refused > 0);
      expect(picture.bars).toHaveLength(filled.length);
      for (const bar of picture.bars) expect(bar.admittedPercent + bar.refusedPercent).toBeLessThanOrEqual(100.000_001);
      const missing = points.filter((each) => each === null).length;
      const shown = picture.gaps.reduce((sum, { widthPercent }) => sum + widthPercent, 0);
      expect(shown).toBeCloseTo((missing / points.length) * 100, 6);
      expect(picture.refused).toBe(points.reduce((sum, each) => sum + (each?.refused ?? 0), 0));
    }),
  );
});

it('names whole hours below the bars at their places, none of them later than now', () => {
  const day = fc.integer({ min: Date.parse('2026-01-01T00:00:00Z'), max: Date.parse('2027-01-01T00:00:00Z') });
  fc.assert(
    fc.property(day, fc.integer({ min: 1, max: 300 }), (nowMs, points) => {
      const lastMs = Math.floor(nowMs / 300_000) * 300_000;
      const atMs = Array.from({ length: points }, (_, point) => lastMs - (points - 1 - point) * 300_000);
      const times = axisTimes(atMs);
      for (const time of times) {
        expect(time.atMs).toBeLessThanOrEqual(nowMs);
        const clock = new Date(time.atMs);
        expect([clock.getHours() % 4, clock.getMinutes(), clock.getSeconds()]).toEqual([0, 0, 0]);
        expect(time.xPercent).toBeCloseTo(((time.atMs - (atMs[0] ?? 0)) / (points * 300_000)) * 100, 6);
      }
    }),
  );
});

it('names 16:00 in the middle of a day that ends at 04:00, and not the edges', () => {
  const last = new Date(2026, 10, 30, 4, 0).getTime();
  const atMs = Array.from({ length: 288 }, (_, point) => last - (287 - point) * 300_000);
  const hours = axisTimes(atMs).map((time) => new Date(time.atMs).getHours());
  expect(hours).toEqual([8, 12, 16, 20, 0]);
});

it('ends its scale at a round whole number that is not below the highest bar', () => {
  fc.assert(
    fc.property(fc.nat(1_000_000_000), (value) => {
      const top = roundTop(value);
      expect(Number.isInteger(top)).toBe(true);
      expect(top).toBeGreaterThanOrEqual(value);
      expect(top).toBeLessThanOrEqual(Math.max(1, value * 2.5));
    }),
  );
});

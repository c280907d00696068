import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { refusalPicture, roundTop } from '../../src/charts/refusal-bars.ts';

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

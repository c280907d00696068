import { describe, expect, it } from 'vitest';
import { weir } from './fixtures/weir-command.ts';

const SCENARIO = {
  globalLimitTps: 10_000,
  windows: 5,
  agents: [
    { id: 'hungry', demandTps: 20_000 },
    { id: 'quiet', demandTps: 500 },
    { id: 'steady', demandTps: 1_000 },
  ],
};

describe('weir simulate', () => {
  it('moves quota to one hungry agent of three as documented: 3,333 → 4,367 → 4,987 → 5,359', async () => {
    const { code, out, err } = await weir(['simulate', '-', '--json'], { input: JSON.stringify(SCENARIO) });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const result: { windows: { allocatedTps: Record<string, number> }[]; summary: { meanUsedPercent: number } } =
      JSON.parse(out);
    const hungry = result.windows.map(({ allocatedTps }) => Math.round(allocatedTps['hungry'] ?? 0));
    expect(hungry.slice(0, 4)).toEqual([3_333, 4_367, 4_987, 5_359]);
    expect(result.summary.meanUsedPercent).toBeGreaterThan(40);
  });

  it('prints a table and a sparkline for people', async () => {
    const { code, out } = await weir(['simulate', '-'], { input: JSON.stringify(SCENARIO) });
    expect(code).toBe(0);
    for (const figure of ['3,333', '4,367', '4,987', '5,359', 'mean']) expect(out).toContain(figure);
  });
});

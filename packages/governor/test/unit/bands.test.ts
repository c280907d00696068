import { describe, expect, it } from 'vitest';
import { bandOf, efficiencyPercent, utilizationPercent } from '../../src/index.ts';

describe('colour bands', () => {
  it.each([
    [0, 'green'],
    [79.99, 'green'],
    [80, 'amber'],
    [95, 'amber'],
    [95.01, 'red'],
    [300, 'red'],
  ])('%d %% is %s', (percent, band) => {
    expect(bandOf(percent)).toBe(band);
  });
});

describe('percentages', () => {
  it('utilization is total actual TPS over the limit', () => {
    expect(utilizationPercent(7_832, 10_000)).toBeCloseTo(78.32, 9);
    expect(utilizationPercent(5, 0)).toBe(0);
  });

  it('efficiency is actual over allocated TPS, above 100 % for a burst, unknown without an allocation', () => {
    expect(efficiencyPercent(492, 164)).toBe(300);
    expect(efficiencyPercent(0, 164)).toBe(0);
    expect(efficiencyPercent(5, 0)).toBeNull();
  });
});

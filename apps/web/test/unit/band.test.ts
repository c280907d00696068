import { describe, expect, it } from 'vitest';
import { bandOf } from '../../src/format/band.ts';

describe('colour bands', () => {
  it.each([
    [0, 'green'],
    [79.9, 'green'],
    [79.999, 'green'],
    [80, 'amber'],
    [90, 'amber'],
    [95, 'amber'],
    [95.001, 'red'],
    [95.1, 'red'],
    [300, 'red'],
  ] as const)('%f %% is %s', (percent, band) => {
    expect(bandOf(percent)).toBe(band);
  });
});

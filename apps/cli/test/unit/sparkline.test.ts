import { describe, expect, it } from 'vitest';
import { sparkline } from '../../src/output/sparkline.ts';

describe('sparkline', () => {
  it('draws nothing for no values and a flat line for zeros', () => {
    expect(sparkline([], 10)).toBe('');
    expect(sparkline([0, 0], 10)).toBe('▁▁');
  });

  it('scales from zero to the given maximum and clips above it', () => {
    expect(sparkline([0, 50, 100, 250], 10, 100)).toBe('▁▅██');
  });

  it('averages neighbours when the series is longer than the line', () => {
    expect(sparkline([0, 0, 100, 100], 2, 100)).toBe('▁█');
  });
});

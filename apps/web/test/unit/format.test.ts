import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bandOf } from '../../src/format/band.ts';
import {
  formatBytes,
  formatCompact,
  formatCount,
  formatMbps,
  formatPercent,
  formatPlural,
  formatSetBytes,
  formatSetPercent,
  formatTps,
} from '../../src/format/numbers.ts';
import {
  formatAge,
  formatClock,
  formatClockSeconds,
  formatCountdown,
  formatDateTime,
  formatMoment,
  formatDuration,
} from '../../src/format/time.ts';

describe('numbers', () => {
  it('separates thousands', () => {
    expect(formatCount(7_832)).toBe('7,832');
    expect(formatCount(1_840_221)).toBe('1,840,221');
  });

  it('shows TPS whole from 10 up, and with one decimal below unless it is whole', () => {
    expect([0, 3, 3.33, 9.99, 10.4, 163.7, 3_333.33].map(formatTps)).toEqual([
      '0',
      '3',
      '3.3',
      '10.0',
      '10',
      '164',
      '3,333',
    ]);
  });

  it('shows Mbps with one decimal, and whole from 1,000 up', () => {
    expect([0, 0.04, 231.74, 999.94, 1_912.4].map(formatMbps)).toEqual(['0.0', '0.0', '231.7', '999.9', '1,912']);
  });

  it('never rounds a percentage into a band that is not its own', () => {
    expect(formatPercent(79.96)).toBe('79.96%');
    expect(formatPercent(95.04)).toBe('95.04%');
    expect(formatPercent(94.96)).toBe('95.0%');
    expect(formatPercent(78.32)).toBe('78.3%');
    expect(formatPercent(1_234.5)).toBe('1,235%');
    fc.assert(
      fc.property(fc.double({ min: 0, max: 999, noNaN: true }), (percent) => {
        expect(bandOf(Number(formatPercent(percent).replace('%', '')))).toBe(bandOf(percent));
      }),
    );
  });

  it('shows a chosen percentage without needless decimals', () => {
    expect([95, 97.5, 33.33].map(formatSetPercent)).toEqual(['95%', '97.5%', '33.3%']);
  });

  it('shows bytes in powers of 1,024, never as 1,024.0 of a unit', () => {
    expect([0, 1, 1_023, 1_024, 1_536, 1_048_575, 1_048_576, 8 * 1_024 ** 2, 2 ** 60].map(formatBytes)).toEqual([
      '0 B',
      '1 B',
      '1,023 B',
      '1.0 KiB',
      '1.5 KiB',
      '1.0 MiB',
      '1.0 MiB',
      '8.0 MiB',
      '1.0 EiB',
    ]);
    fc.assert(
      fc.property(fc.nat(Number.MAX_SAFE_INTEGER), (bytes) => {
        expect(formatBytes(bytes)).toMatch(/^(1,0[01]\d|1,02[0-3]|\d{1,3})(\.\d)? ([KMGTPE]i)?B$/);
      }),
    );
  });

  it('shows a chosen size without needless decimals, and 100 of a unit as 100', () => {
    expect([0, 500, 128 * 1_024 ** 2, 1_536, 100 * 1_024].map(formatSetBytes)).toEqual([
      '0 B',
      '500 B',
      '128 MiB',
      '1.5 KiB',
      '100 KiB',
    ]);
  });

  it('has one kind of units on all pages: no text names kB, MB or GB, which are not what figures count in', () => {
    const root = fileURLToPath(new URL('../../src', import.meta.url));
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
    const texts = files.flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        // What may be typed is another matter, and so are words about it.
        .filter((line) => !/^\s*(\/\/|\/?\*)/.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    );
    expect(texts.length).toBeGreaterThan(5_000);
    expect(texts.filter((text) => /(?<!en-)\b[kKMGTP]B\b/.test(text))).toEqual([]);
  });

  it('uses the singular for one alone', () => {
    expect([0, 1, 2, 5_230].map((count) => formatPlural(count, 'object'))).toEqual([
      '0 objects',
      '1 object',
      '2 objects',
      '5,230 objects',
    ]);
  });

  it('shortens large numbers on axes', () => {
    expect([0, 950, 10_000, 1_500_000].map(formatCompact)).toEqual(['0', '950', '10K', '1.5M']);
  });
});

describe('durations', () => {
  it.each([
    [-5, '0 s'],
    [0, '0 s'],
    [12.4, '12 ms'],
    [999, '999 ms'],
    [1_000, '1 s'],
    [3_200, '3.2 s'],
    [10_000, '10 s'],
    [59_499, '59 s'],
    [60_000, '1 min'],
    [125_000, '2 min 5 s'],
    [3_599_400, '59 min 59 s'],
    [3_600_000, '1 h'],
    [4_800_000, '1 h 20 min'],
    [86_400_000, '1 d'],
    [273_600_000, '3 d 4 h'],
  ])('%d ms reads %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it('never shows 60 of a unit', () => {
    fc.assert(
      fc.property(fc.nat(10 * 86_400_000), (ms) => {
        expect(formatDuration(ms)).not.toMatch(/\b60 (s|min)\b|\b24 h\b/);
      }),
    );
  });

  it('counts down to 0:00 only when nothing is left', () => {
    expect([102_000, 60_000, 59_001, 7_000, 1, 0, -50].map(formatCountdown)).toEqual([
      '1:42',
      '1:00',
      '1:00',
      '0:07',
      '0:01',
      '0:00',
      '0:00',
    ]);
  });

  it('says how long ago something was in its largest unit', () => {
    const now = 1_000_000_000_000;
    const ages = [-500, 0, 1_999, 12_400, 59_999, 180_000, 7_200_000, 30 * 3_600_000, 5 * 86_400_000];
    expect(ages.map((age) => formatAge(now - age, now))).toEqual([
      'just now',
      'just now',
      'just now',
      '12 s ago',
      '59 s ago',
      '3 min ago',
      '2 h ago',
      '30 h ago',
      '5 d ago',
    ]);
  });
});

describe('moments', () => {
  it('are shown on a 24-hour clock in the zone of the viewer', () => {
    const at = new Date(2026, 10, 30, 14, 3, 20).getTime();
    expect(formatClock(at)).toBe('14:03');
    expect(formatClockSeconds(at)).toBe('14:03:20');
    expect(formatDateTime(at)).toBe('30 Nov 2026, 14:03');
    expect(formatMoment(at)).toMatch(/^30 Nov 2026, 14:03:\d\d$/);
    expect(formatClock(new Date(2026, 10, 30, 0, 5).getTime())).toBe('00:05');
  });
});

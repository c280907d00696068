import { periodAt, zoneNamed, type PeriodUnit } from '@weir/quota';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findStamps, tellingStamp, type Stamp, type StampReading } from '../../src/periods/stamps.ts';
import { NOW_MS } from '../support/judging.ts';

const DAY_MS = 86_400_000;
const reading: StampReading = { nowMs: NOW_MS };

function telling(text: string, how: StampReading = reading): Stamp | undefined {
  return tellingStamp(findStamps(text, how));
}

/** Any time that a counter that exists now may be of. */
const instants = fc.integer({ min: NOW_MS - 3_000 * DAY_MS, max: NOW_MS });

/** Texts around a stamp that hold no stamp and do not touch it. */
const before = fc.constantFrom('', 'quota:', 'app/hits/u-17/', 'usage_10.0.0.1_', '{tenant 4}:', 'ä:', 'a|');
const after = fc.constantFrom('', ':u1', '/v2', '_10.1.2.3', ':{x}', '|ü');

const units: readonly PeriodUnit[] = ['second', 'minute', 'hour', 'day', 'week', 'month'];

describe('stamps in names', () => {
  it('gives every period of the calendar the start and the end that it has', () => {
    fc.assert(
      fc.property(instants, fc.constantFrom(...units), before, after, (atMs, unit, left, right) => {
        const period = periodAt({ unit, count: 1 }, zoneNamed('UTC'), atMs);
        const found = telling(left + period.id + right);
        expect(found).toMatchObject({
          unit,
          startMs: period.startMs,
          endMs: period.endMs,
          strong: true,
          plausible: true,
        });
      }),
    );
  });

  it('reads dates in a zone as that zone has them, changes of its clocks included', () => {
    const zones = ['America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'Europe/Berlin'];
    fc.assert(
      fc.property(
        instants,
        fc.constantFrom<PeriodUnit>('day', 'week', 'month'),
        fc.constantFrom(...zones),
        (atMs, unit, name) => {
          const zone = zoneNamed(name);
          const period = periodAt({ unit, count: 1 }, zone, atMs);
          const [id = ''] = period.id.split('@');
          expect(telling(`quota:${id}`, { nowMs: NOW_MS, zone })).toMatchObject({
            startMs: period.startMs,
            endMs: period.endMs,
            civil: false,
          });
        },
      ),
    );
  });

  it('reads what ISO dates look like with other separators and without any', () => {
    const day = { unit: 'day', startMs: Date.UTC(2026, 8, 30), endMs: Date.UTC(2026, 9, 1) };
    for (const text of ['2026-09-30', '2026/09/30', '2026.09.30', '2026_09_30', '2026:09:30', '20260930']) {
      expect({ text, ...telling(`quota:u1:${text}`) }).toMatchObject({ text, ...day });
    }
    const hour = { unit: 'hour', startMs: Date.UTC(2026, 8, 30, 14), endMs: Date.UTC(2026, 8, 30, 15) };
    for (const text of ['2026-09-30T14', '2026-09-30 14', '20260930T14', '2026093014', '2026-09-30T14Z']) {
      expect({ text, ...telling(`quota:u1:${text}`) }).toMatchObject({ text, ...hour });
    }
    const minute = { unit: 'minute', startMs: Date.UTC(2026, 8, 30, 14, 5), endMs: Date.UTC(2026, 8, 30, 14, 6) };
    for (const text of [
      '2026-09-30T14:05',
      '2026-09-30T1405',
      '202609301405',
      '20260930T1405Z',
      '2026-09-30T16:05+02:00',
    ]) {
      expect({ text, ...telling(`quota:u1:${text}`) }).toMatchObject({ text, ...minute });
    }
  });

  it('reads epoch seconds and milliseconds as the longest period that begins there', () => {
    const cases: [number, string, number][] = [
      [Date.UTC(2026, 9, 14, 3, 7), 'minute', Date.UTC(2026, 9, 14, 3, 8)],
      [Date.UTC(2026, 9, 14, 3), 'hour', Date.UTC(2026, 9, 14, 4)],
      [Date.UTC(2026, 9, 14), 'day', Date.UTC(2026, 9, 15)],
      [Date.UTC(2026, 9, 12), 'week', Date.UTC(2026, 9, 19)],
      [Date.UTC(2026, 8, 1), 'month', Date.UTC(2026, 9, 1)],
    ];
    for (const [startMs, unit, endMs] of cases) {
      expect(telling(`edge_users_${startMs / 1_000}`)).toMatchObject({ unit, startMs, endMs, strong: false });
      expect(telling(`edge_users_${startMs}`)).toMatchObject({ unit, startMs, endMs, strong: false });
    }
  });

  it('takes the later end where a name can be read in two ways', () => {
    const dayEndMs = Date.UTC(2026, 9, 1);
    expect(telling('quota:2026-09-30:14')?.endMs).toBe(dayEndMs);
    expect(telling('quota:2026-09-30-14')?.endMs).toBe(dayEndMs);
    expect(telling('from:2026-09-01:to:2026-09-30')?.endMs).toBe(dayEndMs);
  });

  it('finds no stamp in what is no date', () => {
    const texts = [
      'quota:2026-02-30',
      'quota:2026-13-01',
      'quota:2026-09-30T25',
      'quota:2026-W54',
      'quota:2025-W53',
      'user:20261301',
      'ip:10.20.30.40',
      'v2026-09-30',
      'x20260930',
      'id:2026093',
      'uuid:6f1c2026-0930-4a1b-8c2d-1234567890ab',
    ];
    expect(texts.filter((text) => telling(text)?.plausible === true)).toEqual([]);
  });

  it('calls what lies in the future or long ago implausible', () => {
    expect(telling('event:2027-01-01')).toMatchObject({ plausible: false });
    expect(telling('born:1990-05-01')).toMatchObject({ plausible: false });
    expect(telling('quota:2026-10-16')).toMatchObject({ plausible: true });
  });

  it('survives any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        for (const { startMs, endMs, index, length } of findStamps(text, reading)) {
          expect(endMs).toBeGreaterThan(startMs);
          expect(index + length).toBeLessThanOrEqual(text.length);
        }
      }),
    );
  });
});

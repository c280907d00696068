import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ALARM_RULES,
  observeAlarm,
  QUIET,
  UTILIZATION_HIGH,
  type AlarmEvent,
  type AlarmObservation,
  type AlarmState,
} from '../../src/index.ts';

const MINUTE = 60_000;

/** Feeds observations (every 30 s unless they say otherwise; checks on whole minutes) and collects what happens. */
class Watch {
  state: AlarmState = QUIET;
  nowMs = 0;
  events: AlarmEvent[] = [];

  see(utilizationPercent: number, more: Partial<AlarmObservation> = {}): string | null {
    const observation = {
      utilizationPercent,
      thresholdPercent: 95,
      nowMs: this.nowMs,
      checkClear: this.nowMs % MINUTE === 0,
      ...more,
    };
    const { state, events } = observeAlarm(UTILIZATION_HIGH, this.state, observation);
    // Through JSON: what is stored must be all there is. Frozen: an observation must not change it in place.
    this.state = Object.freeze(JSON.parse(JSON.stringify(state)));
    this.events.push(...events);
    this.nowMs = observation.nowMs + 30_000;
    return events[0]?.type ?? null;
  }
}

describe('CV-TPS-001', () => {
  it('is in the table as the document describes it, beside the one for budget that idles', () => {
    expect(ALARM_RULES.map(({ code, severity, title }) => ({ code, severity, title }))).toEqual([
      { code: 'CV-TPS-001', severity: 'WARNING', title: 'TPS Limit Utilization High' },
      { code: 'CV-TPS-002', severity: 'WARNING', title: 'TPS Budget Stranded' },
    ]);
    expect(UTILIZATION_HIGH.clearBelow(95)).toBe(85);
    expect(UTILIZATION_HIGH.clearBelow(100)).toBe(85);
    expect(UTILIZATION_HIGH.clearBelow(90)).toBe(80);
  });

  it('fires above the threshold, not at it', () => {
    const watch = new Watch();
    expect(watch.see(95)).toBeNull();
    expect(watch.see(95.01)).toBe('raised');
  });

  it('fires again at most every 5 minutes while utilization stays high, as one alarm', () => {
    const watch = new Watch();
    for (let window = 0; window <= 20; window += 1) watch.see(100 + window);
    expect(watch.events.map(({ type, atMs }) => [type, atMs / MINUTE])).toEqual([
      ['raised', 0],
      ['fired', 5],
      ['fired', 10],
    ]);
    expect(watch.state.active).toMatchObject({ raisedAtMs: 0, firings: 3, peakPercent: 120 });
  });

  it('clears at the next check below the clear level, not between two checks', () => {
    const watch = new Watch();
    watch.see(99);
    expect(watch.see(40)).toBeNull();
    expect(watch.see(40)).toBe('cleared');
    expect(watch.state.active).toBeNull();
  });

  it('does not clear at the clear level itself or between it and the threshold', () => {
    const watch = new Watch();
    watch.see(99);
    watch.see(90);
    expect(watch.see(90)).toBeNull();
    expect(watch.see(85, { checkClear: true })).toBeNull();
    expect(watch.see(84.99, { checkClear: true })).toBe('cleared');
  });

  it('ends by itself 10 minutes after its last firing when no clear comes', () => {
    const watch = new Watch();
    watch.see(99);
    for (let window = 1; window < 20; window += 1) expect(watch.see(90)).toBeNull();
    expect(watch.see(90)).toBe('expired');
    expect(watch.events.at(-1)?.atMs).toBe(10 * MINUTE);
  });

  it('is not raised again within 5 minutes of its last firing, even after it has cleared', () => {
    const watch = new Watch();
    watch.see(99);
    watch.see(10);
    expect(watch.see(10)).toBe('cleared');
    const later = Array.from({ length: 8 }, () => watch.see(99));
    expect(later).toEqual([null, null, null, null, null, null, null, 'raised']);
    expect(watch.events.at(-1)).toMatchObject({ atMs: 5 * MINUTE, alarm: { firings: 1, raisedAtMs: 5 * MINUTE } });
  });

  it('follows a threshold that is changed while it lasts', () => {
    const watch = new Watch();
    watch.see(96);
    expect(watch.see(78, { thresholdPercent: 80, checkClear: true })).toBeNull();
    expect(watch.see(69.9, { thresholdPercent: 80, checkClear: true })).toBe('cleared');
  });

  it('survives a restart: ten minutes of silence end it, whatever is seen next', () => {
    const watch = new Watch();
    watch.see(99);
    expect(watch.see(90, { nowMs: 11 * MINUTE, checkClear: false })).toBe('expired');
    const other = new Watch();
    other.see(99);
    other.see(99, { nowMs: 11 * MINUTE });
    expect(other.events.map(({ type }) => type)).toEqual(['raised', 'expired', 'raised']);
    expect(other.state.active).toMatchObject({ raisedAtMs: 11 * MINUTE, firings: 1 });
  });

  it('is not silenced by a clock that was set back', () => {
    const watch = new Watch();
    watch.see(99, { nowMs: 1_000 * MINUTE });
    expect(watch.see(99, { nowMs: 0 })).toBe('fired');
  });

  it('takes a value that is not a number for no observation', () => {
    const watch = new Watch();
    expect(watch.see(Number.NaN)).toBeNull();
    watch.see(99);
    expect(watch.see(Number.NaN, { checkClear: true })).toBeNull();
    expect(watch.state.active?.peakPercent).toBe(99);
  });

  it('for any course of utilization: firings keep their distance, and beginnings and ends alternate', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.double({ min: 0, max: 300, noNaN: true }), fc.nat(400_000)), { maxLength: 200 }),
        fc.integer({ min: 1, max: 100 }),
        (course, thresholdPercent) => {
          const watch = new Watch();
          let nowMs = 0;
          for (const [percent, passesMs] of course) {
            nowMs += passesMs;
            watch.see(percent, { nowMs, thresholdPercent, checkClear: passesMs % 2 === 0 });
          }
          const firings = watch.events.filter(({ type }) => type === 'raised' || type === 'fired');
          firings.forEach((event, index) => {
            expect(event.atMs - (firings[index - 1]?.atMs ?? Number.NEGATIVE_INFINITY)).toBeGreaterThanOrEqual(
              5 * MINUTE,
            );
            expect(event.utilizationPercent).toBeGreaterThan(thresholdPercent);
          });
          const turns = watch.events.filter(({ type }) => type !== 'fired').map(({ type }) => type === 'raised');
          expect(turns).toEqual(turns.map((_, index) => index % 2 === 0));
        },
      ),
    );
  });
});

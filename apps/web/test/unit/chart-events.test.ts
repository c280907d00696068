import type { MonitorEvent } from '@weir/protocol';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventMarks, eventsAt } from '../../src/charts/chart-events.ts';
import { formatPoint, formatTick, needsDate, spanSeconds } from '../../src/charts/chart-span.ts';
import { describeRange, rangeChoices, rangeNamed, spanOf } from '../../src/pages/monitor/range.ts';
import { eventDetail, eventTitle } from '../../src/words/event-words.ts';
import { eventsOf } from '../fixture/fleet.ts';

const joined = (seconds: number): MonitorEvent => ({
  kind: 'agents-joined',
  atMs: seconds * 1_000,
  agents: 1,
  names: ['a'],
});
const limit = (seconds: number): MonitorEvent => ({
  kind: 'limit-changed',
  atMs: seconds * 1_000,
  fromTps: 10_000,
  toTps: 5_000,
});

describe('marks of events', () => {
  it('stand where the event happened, and at the end what happened since the last point', () => {
    const marks = eventMarks([joined(900), joined(1_000), joined(1_500), joined(2_010)], [1_000, 2_000]);
    expect(marks.map(({ share }) => share)).toEqual([0, 0.5, 1]);
  });

  it('share one mark when they are close, which shows the most telling of them', () => {
    expect(eventMarks([joined(1_500), limit(1_510), joined(1_520)], [1_000, 2_000])).toMatchObject([
      { kind: 'limit-changed', share: 0.51, events: [{}, {}, {}] },
    ]);
  });

  it('lose no event of the range, and are never more than forty', () => {
    const events = fc.array(fc.integer({ min: 0, max: 2_500 }).map(joined), { maxLength: 300 });
    fc.assert(
      fc.property(events, (all) => {
        const marks = eventMarks(all, [1_000, 2_000]);
        const within = all.filter(({ atMs }) => atMs >= 1_000_000);
        expect(marks.reduce((sum, mark) => sum + mark.events.length, 0)).toBe(within.length);
        expect(marks.length).toBeLessThanOrEqual(40);
        for (const { share } of marks) expect(share >= 0 && share <= 1).toBe(true);
      }),
    );
  });

  it('belong to exactly one point each', () => {
    const seconds = [0, 30, 60, 90];
    const events = [joined(1), joined(30), joined(31), joined(60), joined(95)];
    const each = seconds.map((_, index) => eventsAt(events, seconds, index).map(({ atMs }) => atMs / 1_000));
    expect(each).toEqual([[], [1, 30], [31, 60], [95]]);
  });
});

describe('words about events', () => {
  it('name what happened with its figures and units', () => {
    const words = eventsOf(0, 10_000).map((event) => [eventTitle(event), eventDetail(event)]);
    expect(words).toEqual([
      ['The console was started', 'Allocations begin with an equal split and are right again within one window.'],
      ['copy-ams-1 joined', null],
      ['Global limit raised from 8,000 to 10,000 TPS', 'In force for each agent from its next window on.'],
      ['Alarm CV-TPS-001 raised: utilization above 95%', null],
      ['Alarm CV-TPS-001 cleared', 'Highest utilization 97.3%.'],
      ['copy-fra-2 in holdoff after 503 SlowDown', 'All its jobs pause for up to 2 min 22 s.'],
      ['3 agents (copy-old-1, copy-old-2, copy-old-3) left', 'No heartbeat for three windows, or revoked.'],
    ]);
    expect(eventTitle(limit(0))).toContain('lowered from 10,000 to 5,000 TPS');
  });

  it('name five agents of many and count the others', () => {
    const event: MonitorEvent = { kind: 'agents-joined', atMs: 0, agents: 312, names: ['a', 'b', 'c', 'd', 'e'] };
    expect(eventTitle(event)).toBe('312 agents (a, b, c, d, e and 307 more) joined');
  });
});

describe('ranges of the chart', () => {
  it('are the last 60 windows and 6 hours, a day, a week', () => {
    expect(rangeChoices(30).map(({ label }) => label)).toEqual(['30 min', '6 h', '24 h', '7 d']);
    expect(spanSeconds(spanOf('live', 30))).toBe(59 * 30);
    const hours = (['6h', '24h', '7d'] as const).map((range) => {
      const span = spanOf(range, 30);
      return (span.points * span.stepSeconds) / 3_600;
    });
    expect(hours).toEqual([6, 24, 168]);
    expect(describeRange('live', 30)).toBe('Last 30 min, one point each 30 s');
    expect(describeRange('24h', 30)).toBe('Last 24 h, means and peaks of 10 min');
  });

  it('are read from the address, anything unknown as the last 60 windows', () => {
    expect(['24h', 'live', 'x', null].map(rangeNamed)).toEqual(['24h', 'live', 'live', 'live']);
  });

  it('tell the day where there are several, and seconds only where points are that close', () => {
    const noon = new Date(2026, 10, 30, 12, 0, 30).getTime();
    const midnight = new Date(2026, 10, 30).getTime();
    expect(formatPoint(noon, spanOf('live', 10))).toBe('12:00:30');
    expect(formatPoint(noon, spanOf('6h', 30))).toBe('12:00');
    expect(formatPoint(noon, spanOf('7d', 30))).toBe('30 Nov 2026, 12:00');
    expect([needsDate(spanOf('6h', 30)), needsDate(spanOf('24h', 30))]).toEqual([false, true]);
    expect(formatTick(midnight, spanOf('7d', 30))).toBe('30 Nov');
    expect(formatTick(midnight, spanOf('live', 30))).toBe('00:00');
    expect(formatTick(noon, spanOf('7d', 30))).toBe('12:00');
  });
});

import type { AlarmView, MonitorEvent } from '@weir/protocol';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EventLog, mostTelling } from '../../src/fleet/event-log.ts';
import { endOf, FleetWatch, limitEvent, type WatchedAgent } from '../../src/fleet/fleet-watch.ts';

const T = 1_800_000_000_000;
const agent = (name: string, online = true, holdoffUntilMs: number | null = null): WatchedAgent => ({
  agentId: name,
  name,
  online,
  holdoffUntilMs,
});
const alarm = (over: Partial<AlarmView> = {}): AlarmView => ({
  alarmId: 'alm_1',
  code: 'CV-TPS-001',
  severity: 'WARNING',
  title: 'TPS Limit Utilization High',
  raisedAtMs: T,
  lastFiredAtMs: T,
  firings: 1,
  peakValue: 97,
  threshold: 95,
  endedAtMs: null,
  endedBy: null,
  acknowledgedBy: null,
  acknowledgedAtMs: null,
  ...over,
});

describe('what a watch notices', () => {
  test('nothing of what was so when it began', () => {
    const watch = new FleetWatch([agent('a'), agent('b', false), agent('c', true, T + 1_000)], [alarm()], T);
    expect(watch.agents([agent('a'), agent('b', false), agent('c', true, T + 1_000)], T + 5)).toEqual([]);
    expect(watch.alarms([alarm()])).toEqual({ raised: [], gone: [] });
  });

  test('agents that come and go, those of one look in one event', () => {
    const watch = new FleetWatch([agent('a')], [], T);
    const many = Array.from({ length: 7 }, (_, n) => agent(`n${n}`));
    expect(watch.agents([agent('a', false), ...many], T + 1)).toEqual([
      { kind: 'agents-joined', atMs: T + 1, agents: 7, names: ['n0', 'n1', 'n2', 'n3', 'n4'] },
      { kind: 'agents-left', atMs: T + 1, agents: 1, names: ['a'] },
    ]);
    // A revoked agent is not in the list any more.
    expect(watch.agents(many.slice(1), T + 2)).toEqual([
      { kind: 'agents-left', atMs: T + 2, agents: 1, names: ['n0'] },
    ]);
  });

  test('a holdoff once, however often its end is told anew, and the next one again', () => {
    const watch = new FleetWatch([agent('a')], [], T);
    expect(watch.agents([agent('a', true, T + 60_000)], T)).toEqual([
      { kind: 'holdoff', atMs: T, agents: 1, names: ['a'], longestMs: 60_000 },
    ]);
    expect(watch.agents([agent('a', true, T + 60_200)], T + 30_000)).toEqual([]);
    expect(watch.agents([agent('a', true, T + 60_200)], T + 61_000)).toEqual([]);
    expect(watch.agents([agent('a', true, T + 95_000)], T + 62_000)).toMatchObject([
      { kind: 'holdoff', longestMs: 33_000 },
    ]);
  });

  test('alarms that were raised, and those that are gone', () => {
    const watch = new FleetWatch([], [], T);
    const { code, title, threshold } = alarm();
    expect(watch.alarms([alarm()]).raised).toEqual([{ kind: 'alarm-raised', atMs: T, code, title, threshold }]);
    expect(watch.alarms([alarm({ firings: 2 })])).toEqual({ raised: [], gone: [] });
    expect(watch.alarms([]).gone).toMatchObject([{ alarmId: 'alm_1' }]);
    expect(endOf(alarm({ endedAtMs: T + 9, endedBy: 'cleared' }), T + 20)).toMatchObject({
      kind: 'alarm-ended',
      atMs: T + 9,
      endedBy: 'cleared',
    });
  });

  test('joins and leaves that add up to who is online, whatever the order of looks', () => {
    const looks = fc.array(fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.boolean()), { maxLength: 10 }), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(looks, (all) => {
        const watch = new FleetWatch([], [], T);
        let online = 0;
        for (const look of all) {
          const fleet = new Map(look.map(([id, on]) => [`a${id}`, agent(`a${id}`, on)]));
          for (const event of watch.agents(fleet.values(), T)) {
            if (event.kind === 'agents-joined') online += event.agents;
            if (event.kind === 'agents-left') online -= event.agents;
          }
          expect(online).toBe([...fleet.values()].filter((one) => one.online).length);
        }
      }),
    );
  });

  test('a limit that changes, or goes on and off', () => {
    expect(limitEvent(10_000, 5_000, T)).toEqual({ kind: 'limit-changed', atMs: T, fromTps: 10_000, toTps: 5_000 });
    expect(limitEvent(null, 5_000, T)).toEqual({ kind: 'limiter-switched', atMs: T, on: true });
    expect(limitEvent(5_000, null, T)).toEqual({ kind: 'limiter-switched', atMs: T, on: false });
  });
});

const joined = (atMs: number): MonitorEvent => ({ kind: 'agents-joined', atMs, agents: 1, names: ['a'] });

describe('the log of events', () => {
  test('gives what is new to be written once, and again when it could not be written', () => {
    const log = new EventLog([joined(T)]);
    log.add([joined(T + 1)]);
    const unwritten = log.takeUnwritten();
    expect(unwritten).toEqual([joined(T + 1)]);
    expect(log.takeUnwritten()).toEqual([]);
    log.unwrittenAgain(unwritten);
    log.add([joined(T + 2)]);
    expect(log.takeUnwritten()).toEqual([joined(T + 1), joined(T + 2)]);
    expect(log.since(T + 1)).toEqual([joined(T + 1), joined(T + 2)]);
  });

  test('never lets a flood of joins hide a changed limit or an alarm', () => {
    const flood = Array.from({ length: 5_000 }, (_, n) => joined(T + n));
    const limit = limitEvent(1, 2, T + 3);
    const shown = mostTelling([...flood, limit]);
    expect(shown).toHaveLength(300);
    expect(shown).toContainEqual(limit);
    expect(shown.map(({ atMs }) => atMs)).toEqual(shown.map(({ atMs }) => atMs).sort((a, b) => a - b));
  });
});

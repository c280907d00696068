import type { AlarmView, MonitorEvent } from '@weir/protocol';

/** Names that an event about several agents carries. */
const NAMES = 5;

/** An agent as far as the watch looks. */
export interface WatchedAgent {
  agentId: string;
  name: string;
  online: boolean;
  /** Wall time; null or past: no holdoff. */
  holdoffUntilMs: number | null;
}

/**
 * Notices what happens to a fleet by comparing it with what it was at the last look. Agents that did the same thing between
 * two looks share one event, so that a network that goes away under 10,000 agents is one mark on the chart.
 */
export class FleetWatch {
  readonly #online = new Map<string, string>();
  readonly #paused = new Set<string>();
  readonly #alarms = new Map<string, AlarmView>();

  /** @param agents, alarms as the console found them at its start: what is so then is not news */
  constructor(agents: Iterable<WatchedAgent>, alarms: readonly AlarmView[], nowMs: number) {
    this.agents(agents, nowMs);
    this.alarms(alarms);
  }

  /** Looks at all agents that may work (revoked ones have left). */
  agents(agents: Iterable<WatchedAgent>, nowMs: number): MonitorEvent[] {
    const joined: string[] = [];
    const paused: string[] = [];
    const gone = new Map(this.#online);
    let longestMs = 0;
    for (const { agentId, name, online, holdoffUntilMs } of agents) {
      if (online) {
        gone.delete(agentId);
        if (!this.#online.has(agentId)) joined.push(name);
        this.#online.set(agentId, name);
      }
      const leftMs = (holdoffUntilMs ?? 0) - nowMs;
      if (leftMs <= 0) this.#paused.delete(agentId);
      else if (!this.#paused.has(agentId)) {
        this.#paused.add(agentId);
        paused.push(name);
        longestMs = Math.max(longestMs, Math.round(leftMs));
      }
    }
    for (const agentId of gone.keys()) this.#online.delete(agentId);
    return [
      ...about('agents-joined', joined, nowMs),
      ...about('agents-left', [...gone.values()], nowMs),
      ...(paused.length === 0 ? [] : [{ kind: 'holdoff' as const, atMs: nowMs, ...named(paused), longestMs }]),
    ];
  }

  /** Looks at the alarms that have not ended: those that are new as events, and those that are gone. */
  alarms(active: readonly AlarmView[]): { raised: MonitorEvent[]; gone: AlarmView[] } {
    const raised: MonitorEvent[] = [];
    const gone = new Map(this.#alarms);
    for (const alarm of active) {
      gone.delete(alarm.alarmId);
      if (!this.#alarms.has(alarm.alarmId)) {
        const { code, title, threshold } = alarm;
        raised.push({ kind: 'alarm-raised', atMs: alarm.raisedAtMs, code, title, threshold });
      }
      this.#alarms.set(alarm.alarmId, alarm);
    }
    for (const alarmId of gone.keys()) this.#alarms.delete(alarmId);
    return { raised, gone: [...gone.values()] };
  }
}

/** The event that an alarm which has ended leaves. */
export function endOf(alarm: AlarmView, nowMs: number): MonitorEvent {
  const { code, title, peakValue, endedAtMs, endedBy } = alarm;
  return { kind: 'alarm-ended', atMs: endedAtMs ?? nowMs, code, title, peakValue, endedBy: endedBy ?? 'expired' };
}

function about(kind: 'agents-joined' | 'agents-left', names: readonly string[], atMs: number): MonitorEvent[] {
  return names.length === 0 ? [] : [{ kind, atMs, ...named(names) }];
}

function named(names: readonly string[]): { agents: number; names: string[] } {
  return { agents: names.length, names: names.slice(0, NAMES) };
}

/** The limit has changed: switched on, off, or to another value. */
export function limitEvent(before: number | null, now: number | null, atMs: number): MonitorEvent {
  if (before === null || now === null) return { kind: 'limiter-switched', atMs, on: now !== null };
  return { kind: 'limit-changed', atMs, fromTps: before, toTps: now };
}

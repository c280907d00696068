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

/** One look at a fleet. */
export interface FleetLook {
  see(agent: WatchedAgent): void;
  /** All have been seen; what has happened since the look before. */
  end(): MonitorEvent[];
}

/**
 * Notices what happens to a fleet by comparing it with what it was at the last look. Agents that did the same thing between
 * two looks share one event, so that a network that goes away under 10,000 agents is one mark on the chart.
 */
export class FleetWatch {
  readonly #online = new Map<string, { name: string; look: number }>();
  readonly #paused = new Set<string>();
  readonly #alarms = new Map<string, AlarmView>();
  #look = 0;

  /** @param agents, alarms as the console found them at its start: what is so then is not news */
  constructor(agents: Iterable<WatchedAgent>, alarms: readonly AlarmView[], nowMs: number) {
    this.agents(agents, nowMs);
    this.alarms(alarms);
  }

  /** Looks at all agents that may work (revoked ones have left), at once. */
  agents(agents: Iterable<WatchedAgent>, nowMs: number): MonitorEvent[] {
    const look = this.look(nowMs);
    for (const agent of agents) look.see(agent);
    return look.end();
  }

  /** Begins to look at all agents, one by one, so that others have their turn in between; one look at a time. */
  look(nowMs: number): FleetLook {
    this.#look += 1;
    const look = this.#look;
    const joined: string[] = [];
    const paused: string[] = [];
    let longestMs = 0;
    return {
      see: ({ agentId, name, online, holdoffUntilMs }) => {
        const known = this.#online.get(agentId);
        if (online && known === undefined) joined.push(name);
        if (online && known?.name !== name) this.#online.set(agentId, { name, look });
        else if (online && known !== undefined) known.look = look;
        const leftMs = (holdoffUntilMs ?? 0) - nowMs;
        if (leftMs <= 0) this.#paused.delete(agentId);
        else if (!this.#paused.has(agentId)) {
          this.#paused.add(agentId);
          paused.push(name);
          longestMs = Math.max(longestMs, Math.round(leftMs));
        }
      },
      end: () => [
        ...about('agents-joined', joined, nowMs),
        ...about('agents-left', this.#forgetUnseen(look), nowMs),
        ...(paused.length === 0 ? [] : [{ kind: 'holdoff' as const, atMs: nowMs, ...named(paused), longestMs }]),
      ],
    };
  }

  #forgetUnseen(look: number): string[] {
    const gone: string[] = [];
    for (const [agentId, seen] of this.#online) {
      if (seen.look === look) continue;
      this.#online.delete(agentId);
      gone.push(seen.name);
    }
    return gone;
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

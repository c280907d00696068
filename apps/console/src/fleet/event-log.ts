import type { MonitorEvent } from '@weir/protocol';

/** Events kept in memory at most; more in half an hour are noise that no chart can show. */
const MAX_RECENT = 2_000;

/** Events of one answer at most. */
const MAX_SHOWN = 300;

/** What matters more is shown before what there is a lot of. */
const WEIGHT: Readonly<Record<MonitorEvent['kind'], number>> = {
  'limit-changed': 0,
  'limiter-switched': 0,
  'alarm-raised': 0,
  'alarm-ended': 0,
  'console-started': 0,
  holdoff: 1,
  'agents-joined': 2,
  'agents-left': 2,
};

/** What happened in the last 60 windows, and what of it is not written down yet. */
export class EventLog {
  #recent: MonitorEvent[];
  #unwritten: MonitorEvent[] = [];

  constructor(recent: readonly MonitorEvent[]) {
    this.#recent = [...recent];
  }

  add(events: readonly MonitorEvent[]): void {
    if (events.length === 0) return;
    this.#recent = [...this.#recent, ...events].slice(-MAX_RECENT);
    this.#unwritten = [...this.#unwritten, ...events].slice(-MAX_RECENT);
  }

  /** Since a moment, oldest first; the most telling ones where there are too many. */
  since(atMs: number): MonitorEvent[] {
    this.#recent = this.#recent.filter((event) => event.atMs >= atMs);
    return mostTelling(this.#recent);
  }

  /** What is to be written down. */
  takeUnwritten(): MonitorEvent[] {
    const events = this.#unwritten;
    this.#unwritten = [];
    return events;
  }

  /** What `takeUnwritten` gave could not be written. */
  unwrittenAgain(events: readonly MonitorEvent[]): void {
    this.#unwritten = [...events, ...this.#unwritten].slice(-MAX_RECENT);
  }
}

/** At most 300 events in order of time: changes of limit and alarms before holdoffs, those before joins and leaves. */
export function mostTelling(events: readonly MonitorEvent[]): MonitorEvent[] {
  const inTime = [...events].sort((a, b) => a.atMs - b.atMs);
  if (inTime.length <= MAX_SHOWN) return inTime;
  const chosen = [...inTime].sort((a, b) => WEIGHT[a.kind] - WEIGHT[b.kind] || b.atMs - a.atMs).slice(0, MAX_SHOWN);
  return chosen.sort((a, b) => a.atMs - b.atMs);
}

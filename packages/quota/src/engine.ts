import type { Lane } from './counter.ts';
import type { EventListener, QuotaEvent } from './events.ts';
import type { Clock, Timers } from './host.ts';
import type { Metrics } from './metrics.ts';
import type { Store } from './store.ts';

/** What the parts of the engine share. */
export interface Engine {
  readonly store: Store;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: () => number;
  readonly metrics: Metrics;
  /** Names this engine among all processes; part of receipts. */
  readonly instance: string;
  readonly emit: (event: QuotaEvent) => void;
  readonly laneOf: (key: string) => Lane;
  /** A number that this engine did not give out before. */
  readonly nextNumber: () => number;
}

/** Wraps a listener so that its failure cannot hurt a decision. */
export function safeListener(listener: EventListener | undefined): (event: QuotaEvent) => void {
  if (listener === undefined) return () => undefined;
  return (event) => {
    try {
      listener(event);
    } catch {
      // A listener that throws is the application's own affair; a quota decides all the same.
    }
  };
}

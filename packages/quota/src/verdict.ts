import type { Counter, WaitingTake } from './counter.ts';
import { Decision, type Source } from './decision.ts';
import type { Engine } from './engine.ts';
import { countOutage, outageAdmits, OUTAGE_SOURCES, spendWithoutStore } from './outage.ts';

/** What makes a decision beside the counter. */
export interface Verdict {
  readonly allowed: boolean;
  readonly used: number;
  readonly limit: number;
  readonly cost: number;
  /** What the counter was charged; default the cost when allowed, else 0. */
  readonly charged?: number;
  readonly source: Source;
  /** A quota in shadow allowed what it would have refused. */
  readonly wouldRefuse?: boolean;
  readonly replayed?: boolean;
  /** Identity of an idempotent take: its key instead of a fresh number. */
  readonly once?: string;
}

/** Makes the decision and counts it. */
export function decide(engine: Engine, counter: Counter, verdict: Verdict, nowMs: number): Decision {
  const { metrics } = engine;
  const { allowed, cost, once } = verdict;
  metrics.takes += 1;
  if (allowed) metrics.allowed += 1;
  else metrics.refused += 1;
  if (verdict.wouldRefuse === true) metrics.shadowRefused += 1;
  return new Decision(counter.place, {
    allowed,
    charged: verdict.charged ?? (allowed ? cost : 0),
    wouldRefuse: verdict.wouldRefuse ?? false,
    used: verdict.used,
    limit: verdict.limit,
    source: verdict.source,
    cost,
    takenAt: nowMs,
    retryAfterMs: allowed ? 0 : retryAfterMs(counter, verdict, nowMs),
    replayed: verdict.replayed ?? false,
    by: once === undefined ? engine.instance : 'once',
    number: once ?? engine.nextNumber(),
  });
}

function retryAfterMs({ period, lane }: Counter, { source, cost, limit }: Verdict, nowMs: number): number {
  const untilResetMs = Math.max(1, period.endMs - nowMs);
  if (!source.startsWith('outage') || cost > limit) return untilResetMs;
  // While the store is away a retry makes sense as soon as it is asked again.
  return Math.min(untilResetMs, Math.max(1, lane.breaker.retryInMs(nowMs)));
}

/** The mark of a decision that the store's total made. */
export function storeSource(engine: Engine): Source {
  return engine.store.profile.exact ? 'store' : 'approximate';
}

/** Decides by the outage policy, and books what it admits. */
export function decideWithoutStore(
  engine: Engine,
  counter: Counter,
  take: Pick<WaitingTake, 'cost' | 'limit'>,
  nowMs: number,
  sent: boolean,
): Decision {
  const { cost, limit } = take;
  const { outage, shadow } = counter.rules;
  const admits = outageAdmits(counter, cost, limit);
  const allowed = admits || shadow;
  if (allowed) spendWithoutStore(counter, cost, sent);
  countOutage(engine.metrics, outage);
  const source = OUTAGE_SOURCES[outage];
  const verdict = { allowed, charged: 0, wouldRefuse: !admits && shadow, used: counter.estimate, limit, cost, source };
  return decide(engine, counter, verdict, nowMs);
}

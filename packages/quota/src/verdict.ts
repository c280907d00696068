import type { Counter, WaitingTake } from './counter.ts';
import { Decision, type Source, type Verdict } from './decision.ts';
import type { Engine } from './engine.ts';
import { countOutage, outageAdmits, OUTAGE_SOURCES, spendWithoutStore } from './outage.ts';

/** What one call knows of a take: its cost and the limit that holds for it. */
export type Asked = Pick<WaitingTake, 'cost' | 'limit'>;

/** Makes the decision and counts it. `once`: the idempotency key that identifies the take. */
export function decide(engine: Engine, counter: Counter, verdict: Verdict, nowMs: number, once?: string): Decision {
  const { metrics } = engine;
  metrics.takes += 1;
  if (verdict.allowed) metrics.allowed += 1;
  else metrics.refused += 1;
  if (verdict.wouldRefuse) metrics.shadowRefused += 1;
  const retryMs = verdict.allowed ? 0 : retryAfterMs(counter, verdict, nowMs);
  return new Decision(counter.label, verdict, nowMs, retryMs, once ?? engine.nextNumber());
}

/** Charged and admitted. `used`: the total after it. */
export function admit(
  engine: Engine,
  counter: Counter,
  { cost, limit }: Asked,
  used: number,
  source: Source,
  nowMs: number,
): Decision {
  const { shadow } = counter.rules;
  const verdict = {
    allowed: true,
    // Another server's draw that is being taken back may stand in the total; it is nobody's use.
    used: shadow || used <= limit ? used : limit,
    limit,
    cost,
    charged: cost,
    source,
    // In shadow the draw had no limit; whether it would have been refused shows now.
    wouldRefuse: shadow && used > limit,
    replayed: false,
  };
  return decide(engine, counter, verdict, nowMs);
}

/** Refused; nothing was charged. `used`: the total that stood in the way. */
export function refuse(
  engine: Engine,
  counter: Counter,
  { cost, limit }: Asked,
  used: number,
  source: Source,
  nowMs: number,
): Decision {
  const verdict = { allowed: false, used, limit, cost, charged: 0, source, wouldRefuse: false, replayed: false };
  return decide(engine, counter, verdict, nowMs);
}

/** The mark of a decision that the store's total made. */
export function storeSource(engine: Engine): Source {
  return engine.store.profile.exact ? 'store' : 'approximate';
}

/** Decides by the outage policy, and books what it admits. */
export function decideWithoutStore(
  engine: Engine,
  counter: Counter,
  { cost, limit }: Asked,
  nowMs: number,
  sent: boolean,
): Decision {
  const { outage, shadow } = counter.rules;
  const admits = outageAdmits(counter, cost, limit);
  const allowed = admits || shadow;
  if (allowed) spendWithoutStore(counter, cost, sent);
  countOutage(engine.metrics, outage);
  const source = OUTAGE_SOURCES[outage];
  const used = counter.estimate;
  const verdict = { allowed, used, limit, cost, charged: 0, source, wouldRefuse: !admits && shadow, replayed: false };
  return decide(engine, counter, verdict, nowMs);
}

function retryAfterMs({ period, lane }: Counter, { source, cost, limit }: Verdict, nowMs: number): number {
  const untilResetMs = Math.max(1, period.endMs - nowMs);
  if (!source.startsWith('outage') || cost > limit) return untilResetMs;
  // While the store is away a retry makes sense as soon as it is asked again.
  return Math.min(untilResetMs, Math.max(1, lane.breaker.retryInMs(nowMs)));
}

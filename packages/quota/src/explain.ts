import { knowTime, limitOf, type QuotaCore } from './core.ts';
import { peek } from './peek.ts';

/** Everything that bears on the next take of a subject, for support and debugging. */
export interface Explanation {
  readonly key: string;
  readonly period: { readonly id: string; readonly start: string; readonly end: string; readonly zone: string };
  /** When the store forgets the counter. */
  readonly deadline: string;
  readonly limit: number;
  /** `undefined` when the store did not answer. */
  readonly used: number | undefined;
  /** What this process keeps of it. */
  readonly local: {
    readonly lastTotal: number | undefined;
    readonly refusesUntil: string | undefined;
    readonly lease: number;
    readonly owed: number;
    readonly waiting: number;
  };
  readonly store: {
    readonly name: string;
    readonly capability: string;
    readonly mechanism: string;
    readonly breaker: string;
  };
  /** What a take of 1 would meet now, as sentences. */
  readonly because: readonly string[];
}

/** Explains, without taking, what a take of 1 would meet. */
export async function explain(core: QuotaCore, subject: string): Promise<Explanation> {
  const { engine, rules, tracker } = core;
  await knowTime(core);
  const nowMs = core.now();
  const counter = tracker.at(subject, nowMs);
  const limit = await limitOf(core, counter.subject);
  const read = await peek(core, subject).then(
    ({ used }) => ({ used, error: undefined }),
    (error: unknown) => ({ used: undefined, error: error instanceof Error ? error.message : String(error) }),
  );
  const { period } = counter;
  const { name, profile } = engine.store;
  return {
    key: counter.key,
    period: { id: period.id, start: iso(period.startMs), end: iso(period.endMs), zone: rules.zone.name },
    deadline: iso(period.deadline),
    limit,
    used: read.used,
    local: {
      lastTotal: counter.total,
      refusesUntil: counter.recheckAtMs > nowMs ? iso(Math.min(counter.recheckAtMs, period.endMs)) : undefined,
      lease: counter.lease,
      owed: counter.owed,
      waiting: counter.waiting.length,
    },
    store: { name, capability: profile.capability, mechanism: profile.mechanism, breaker: counter.lane.breaker.state },
    because: reasons(
      core,
      read.used,
      read.error,
      limit,
      counter.lease,
      counter.refuses(1, limit, nowMs),
      iso(period.endMs),
    ),
  };
}

function reasons(
  core: QuotaCore,
  used: number | undefined,
  error: string | undefined,
  limit: number,
  lease: number,
  cached: boolean,
  end: string,
): string[] {
  const { outage, shadow } = core.rules;
  const sentences: string[] = [];
  if (shadow) sentences.push('The quota is in shadow: it counts and never refuses.');
  if (lease > 0) sentences.push(`This process holds ${lease} of a block and would spend it without asking the store.`);
  if (limit === 0) sentences.push('The limit is 0: every take is refused.');
  if (error !== undefined)
    sentences.push(`The store did not answer (${error}); the outage policy "${outage}" decides.`);
  if (cached) sentences.push('A refusal is fresh in this process and would be repeated without asking the store.');
  if (used !== undefined) {
    const state = used < limit ? `${limit - used} of ${limit} are left` : `all ${limit} are used`;
    sentences.push(`By the store ${state} until ${end}.`);
  }
  return sentences;
}

function iso(ms: number): string {
  // Infinity: until the period ends, which the caller made finite before.
  return new Date(ms).toISOString();
}

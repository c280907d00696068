import { Breaker } from './breaker.ts';
import type { QuotaCore } from './core.ts';
import type { Lane } from './counter.ts';
import { Dispatcher } from './dispatcher.ts';
import { safeListener, type Engine } from './engine.ts';
import type { EventListener } from './events.ts';
import { HealthWatch } from './health.ts';
import { HoldLedgers } from './hold-ledgers.ts';
import { hostClock, hostTimers, type Clock, type Timers } from './host.ts';
import { LeaseKeeper } from './leases.ts';
import { newMetrics, type Metrics } from './metrics.ts';
import { checkIdempotencyKey, Quota, type TakeOptions } from './quota.ts';
import { checkDefinition, type QuotaDefinition } from './rules.ts';
import type { Store, StoreHealth, StoreProfile } from './store.ts';
import { StoreClock } from './store-clock.ts';
import { settled } from './store-calls.ts';
import { takeGroup, type GroupDecision } from './take-all.ts';
import { CounterTracker, DEFAULT_MAX_TRACKED } from './tracker.ts';

/** What an engine is made of. Everything but the store has a default. */
export interface QuotasOptions {
  readonly store: Store;
  readonly onEvent?: EventListener;
  /** Default `Date.now`. */
  readonly clock?: Clock;
  /** Default the host's `setTimeout`; must not keep the process alive. */
  readonly timers?: Timers;
  /** Numbers in [0, 1); default `Math.random`. For identities and jitter, not for secrets. */
  readonly random?: () => number;
  /** Subjects remembered per quota, default 131,072; the others cost one more look of the store at their deadline. */
  readonly maxTracked?: number;
  /** Pause between two looks at the store's health, in ms, at most 60,000; default 60,000; 0: none but the one of `ready`. */
  readonly healthEveryMs?: number;
}

/** One part of `Quotas.takeAll`. */
export interface GroupPart {
  readonly quota: Quota;
  readonly subject: string;
  /** Positive whole number, default 1. */
  readonly cost?: number;
}

/** The engine: quotas that share one store. */
export class Quotas {
  readonly #engine: Engine;
  readonly #lanes = new Map<string, Lane>();
  readonly #dispatcher: Dispatcher;
  readonly #ledgers: HoldLedgers;
  readonly #leases: LeaseKeeper;
  readonly #health: HealthWatch;
  readonly #storeClock: StoreClock;
  readonly #quotas = new Map<string, Quota>();
  readonly #maxTracked: number;
  #closed = false;

  constructor(options: QuotasOptions) {
    const random = options.random ?? Math.random;
    let number = 0;
    this.#engine = {
      store: options.store,
      clock: options.clock ?? hostClock,
      timers: options.timers ?? hostTimers,
      random,
      metrics: newMetrics(),
      instance: Array.from({ length: 2 }, () => Math.floor(random() * 2 ** 40).toString(36)).join(''),
      emit: safeListener(options.onEvent),
      laneOf: (key) => this.#laneOf(key),
      nextNumber: () => (number += 1),
    };
    this.#maxTracked = options.maxTracked ?? DEFAULT_MAX_TRACKED;
    this.#ledgers = new HoldLedgers(this.#engine);
    this.#leases = new LeaseKeeper(this.#engine);
    this.#health = new HealthWatch(this.#engine, options.healthEveryMs ?? 60_000);
    this.#storeClock = new StoreClock(this.#engine);
    this.#dispatcher = new Dispatcher(this.#engine, {
      reap: (counter) => this.#ledgers.reap(counter, this.#storeClock.now()),
      leased: (counter) => this.#leases.keep(counter),
    });
  }

  /** What the store can do, as declared or, after `ready`, as probed. */
  get profile(): StoreProfile {
    return this.#engine.store.profile;
  }

  /** What the last look at the store's health found; `undefined` before the first. */
  get health(): StoreHealth | undefined {
    return this.#health.last;
  }

  /**
   * Probes the store, looks at its health and its clock, and goes on looking. Takes work without it, by what the store declares.
   * @throws {QuotaError} `store-unavailable` when the store does not answer.
   */
  async ready(): Promise<StoreProfile> {
    const profile = await settled(() => this.#engine.store.probe());
    await Promise.all([this.#health.look(), this.#storeClock.measure()]);
    return profile;
  }

  /**
   * Defines a quota, or defines it anew: takes of the old definition under way are finished by it.
   * @throws {QuotaError} `invalid-quota` with everything that is wrong; `store-refused` when the store cannot keep its promise.
   */
  define(definition: QuotaDefinition): Quota {
    const rules = checkDefinition(definition, this.#engine.store.profile);
    const { clock } = this.#engine;
    const core: QuotaCore = {
      rules,
      engine: this.#engine,
      tracker: new CounterTracker(rules, this.#engine, this.#maxTracked),
      dispatcher: this.#dispatcher,
      ledgers: this.#ledgers,
      storeClock: this.#storeClock,
      now: rules.storeClock ? () => this.#storeClock.now() : clock,
      isClosed: () => this.#closed,
    };
    const quota = new Quota(core);
    this.#quotas.set(rules.id, quota);
    return quota;
  }

  /** The quota of this id; `undefined` when none was defined. */
  quota(id: string): Quota | undefined {
    return this.#quotas.get(id);
  }

  /** Ids of the quotas defined. */
  ids(): string[] {
    return [...this.#quotas.keys()];
  }

  /**
   * Charges several counters in one round trip, all or none, and says which refused.
   * @param parts 1 to 100; of this engine's quotas.
   * @throws {QuotaError} as `Quota.take`.
   */
  async takeAll(parts: readonly GroupPart[], options: TakeOptions = {}): Promise<GroupDecision> {
    const items = parts.map(({ quota, subject, cost = 1 }) => ({ core: Quota.coreOf(quota), subject, cost }));
    const { idempotencyKey } = options;
    return takeGroup(items, idempotencyKey === undefined ? undefined : checkIdempotencyKey(idempotencyKey));
  }

  /** A snapshot of what was counted since the start. */
  metrics(): Metrics {
    return { ...this.#engine.metrics };
  }

  /** Gives unspent blocks back, stops timers and closes the store (not a client that was handed to it). */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#health.stop();
    await this.#leases.close();
    this.#dispatcher.stop();
    await this.#engine.store.close();
  }

  #laneOf(key: string): Lane {
    const name = this.#engine.store.laneOf?.(key) ?? '';
    const known = this.#lanes.get(name);
    if (known !== undefined) return known;
    const lane = { name, breaker: new Breaker() };
    this.#lanes.set(name, lane);
    return lane;
  }
}

/** Opens an engine on a store. */
export function openQuotas(options: QuotasOptions): Quotas {
  return new Quotas(options);
}

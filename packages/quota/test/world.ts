import {
  MemoryStore,
  openQuotas,
  type Decision,
  QuotaError,
  type Draw,
  type Drawn,
  type GroupDrawn,
  type Marker,
  type Quota,
  type QuotaEvent,
  type Quotas,
  type QuotasOptions,
  type Return,
  type Store,
  type Swapped,
} from '../src/index.ts';
import type { TimerHandle, Timers } from '../src/host.ts';

/** Monday, in the middle of everything. */
export const NOON = Date.UTC(2026, 10, 30, 12, 0, 0);

interface Pending {
  readonly atMs: number;
  readonly run: () => void;
}

/** A world whose time moves only when told to. */
export class World {
  nowMs: number = NOON;
  /** Longest timer ever asked for. */
  longestMs = 0;
  readonly events: QuotaEvent[] = [];
  readonly #pending = new Set<Pending>();
  #seed: number;

  constructor(seed = 1) {
    this.#seed = seed;
  }

  readonly clock = (): number => this.nowMs;

  /** A small seeded generator (mulberry32): the same seed, the same run. */
  readonly random = (): number => {
    this.#seed = (this.#seed + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#seed ^ (this.#seed >>> 15), 1 | this.#seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };

  readonly timers: Timers = {
    set: (run, ms): TimerHandle => {
      this.longestMs = Math.max(this.longestMs, ms);
      const pending = { atMs: this.nowMs + ms, run };
      this.#pending.add(pending);
      return { cancel: () => this.#pending.delete(pending) };
    },
  };

  get timersPending(): number {
    return this.#pending.size;
  }

  /** Moves time, running timers in order, with every promise settled in between. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.nowMs + ms;
    await flush();
    for (;;) {
      const due = [...this.#pending].filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0];
      if (due === undefined) break;
      this.#pending.delete(due);
      this.nowMs = Math.max(this.nowMs, due.atMs);
      due.run();
      await flush();
    }
    this.nowMs = untilMs;
    await flush();
  }

  /** Time passes by a call's own timers until it is settled. */
  async settle<T>(call: Promise<T>, limitMs = 600_000): Promise<T> {
    const state = { done: false };
    const end = (): void => {
      state.done = true;
    };
    call.then(end, end);
    const untilMs = this.nowMs + limitMs;
    while (!state.done && this.nowMs < untilMs) await this.advance(1);
    return call;
  }

  memory(): MemoryStore {
    return new MemoryStore({ clock: this.clock, timers: this.timers });
  }

  open(store: Store, options: Partial<QuotasOptions> = {}): Quotas {
    return openQuotas({
      store,
      clock: this.clock,
      timers: this.timers,
      random: this.random,
      healthEveryMs: 0,
      onEvent: (event) => this.events.push(event),
      ...options,
    });
  }
}

/** Lets every promise that can settle do so. */
export async function flush(): Promise<void> {
  for (let turn = 0; turn < 30; turn++) await Promise.resolve();
}

/** How a `RemoteStore` treats its next calls. */
export type Weather = 'fine' | 'silent' | 'refusing' | 'reply-lost';

/** A store behind a network that takes time and can fail; the memory behind it is exact. Never answers at once. */
export class RemoteStore implements Store {
  weather: Weather = 'fine';
  readonly name: string = 'remote';
  /** Calls that reached the other side. */
  calls = 0;
  draws: Draw[][] = [];
  readonly #inner: Store;
  readonly #world: World;
  readonly #latencyMs: () => number;
  readonly #held: (() => void)[] = [];

  constructor(world: World, inner: Store, latencyMs: () => number = () => 1) {
    this.#world = world;
    this.#inner = inner;
    this.#latencyMs = latencyMs;
  }

  get profile(): Store['profile'] {
    return this.#inner.profile;
  }

  /** Everything that was held back in silence is executed and answered now. */
  async release(): Promise<void> {
    this.weather = 'fine';
    for (const run of this.#held.splice(0)) run();
    await flush();
  }

  probe(): Promise<Store['profile']> {
    return this.#via(() => this.#inner.probe());
  }
  take(draws: readonly Draw[]): Promise<readonly (Drawn | Error)[]> {
    this.draws.push([...draws]);
    return this.#via(() => this.#inner.take(draws));
  }
  takeAll(draws: readonly Draw[], marker?: Marker): Promise<GroupDrawn> {
    return this.#via(() => this.#inner.takeAll(draws, marker));
  }
  giveBack(returns: readonly Return[]): Promise<readonly (number | undefined | Error)[]> {
    return this.#via(() => this.#inner.giveBack(returns));
  }
  read(keys: readonly string[]): Promise<readonly (number | undefined | Error)[]> {
    return this.#via(() => this.#inner.read(keys));
  }
  get(key: string): Promise<string | undefined> {
    return this.#via(() => this.#inner.get(key));
  }
  swap(...args: Parameters<Store['swap']>): Promise<Swapped> {
    return this.#via(() => this.#inner.swap(...args));
  }
  remove(keys: readonly string[]): Promise<void> {
    return this.#via(() => this.#inner.remove(keys));
  }
  time(): Promise<number> {
    return this.#via(() => this.#inner.time());
  }
  health(): ReturnType<Store['health']> {
    return this.#via(() => this.#inner.health());
  }
  close(): Promise<void> {
    return Promise.resolve();
  }

  #via<T>(call: () => Promise<T>): Promise<T> {
    const { weather } = this;
    if (weather === 'refusing') return Promise.reject(new QuotaError('store-unavailable', 'connection refused'));
    return new Promise<T>((resolve, reject) => {
      const run = (): void => {
        this.calls += 1;
        const reply = call();
        if (weather === 'reply-lost') {
          reply.then(
            () => reject(new QuotaError('store-unavailable', 'connection reset')),
            () => reject(new QuotaError('store-unavailable', 'connection reset')),
          );
          return;
        }
        reply.then((value) => this.#world.timers.set(() => resolve(value), this.#latencyMs() / 2), reject);
      };
      if (weather === 'silent') this.#held.push(run);
      else this.#world.timers.set(run, this.#latencyMs() / 2);
    });
  }
}

/** The element at an index, counted round and round. */
export function nth<T>(list: readonly T[], index: number): T {
  const found = list[index % list.length];
  if (found === undefined) throw new Error('an empty list has no element');
  return found;
}

/** A quota as untyped callers see it. */
export interface UntypedQuota {
  take(subject: unknown, cost?: unknown): Promise<Decision>;
  takeNow(subject: unknown, cost?: unknown): Decision | undefined;
}

/** An engine as untyped callers see it. */
export interface UntypedQuotas {
  define(definition: object): Quota;
}

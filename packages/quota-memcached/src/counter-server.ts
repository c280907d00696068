import { deadlineAt, QuotaError, type Clock, type Deadline } from '@weir/quota';
import { ClassicDialect } from './classic-dialect.ts';
import { CounterDraws } from './draws.ts';
import type { Dialect } from './dialect.ts';
import { expiryOf, type Expiry } from './expiry.ts';
import { isUnknownCommand } from './failures.ts';
import { MetaDialect } from './meta-dialect.ts';
import { ServerClock } from './server-clock.ts';
import type { MemcachedServerClient } from './server-client.ts';

/** Which commands to use: `auto` tries the meta commands and falls back to the classic ones. */
export type Protocol = 'auto' | 'meta' | 'classic';

/** How long a scratch entry of the probe lives, in ms. */
const SCRATCH_MS = 10_000;

/** One server, once it is known what it can do. */
export interface ReadyServer {
  readonly dialect: Dialect;
  readonly draws: CounterDraws;
}

/** One memcached as the store uses it: finds out how to speak with it at the first call, and again after a failure to. */
export class CounterServer {
  readonly client: MemcachedServerClient;
  readonly #protocol: Protocol;
  readonly #now: Clock;
  readonly #clock = new ServerClock();
  #ready: ReadyServer | undefined;
  #finding: Promise<ReadyServer> | undefined;

  constructor(client: MemcachedServerClient, protocol: Protocol, now: Clock) {
    this.client = client;
    this.#protocol = protocol;
    this.#now = now;
  }

  /** The result of the last probe. */
  get known(): ReadyServer | undefined {
    return this.#ready;
  }

  /** What the server can do; asked once, then remembered. */
  ready(): ReadyServer | Promise<ReadyServer> {
    return this.#ready ?? this.probe();
  }

  /** Asks again. @throws {QuotaError} `store-refused` for a server without compare-and-swap or without the protocol wanted. */
  probe(): Promise<ReadyServer> {
    this.#finding ??= this.#find().finally(() => {
      this.#finding = undefined;
    });
    return this.#finding;
  }

  /** Asks for the server's time; ms since 1970. */
  async time(): Promise<number> {
    await this.stats();
    return this.#clock.at(this.#now());
  }

  /** The general statistics; their time is learned on the way. */
  async stats(): Promise<ReadonlyMap<string, string>> {
    const sentMs = this.#now();
    const stats = await this.client.stats();
    const seconds = Number(stats.get('time'));
    if (Number.isSafeInteger(seconds) && seconds > 0) this.#clock.learn(seconds, sentMs, this.#now());
    return stats;
  }

  /** The expiry of a deadline on this server. @throws {QuotaError} `invalid-deadline` when it has passed there for certain. */
  readonly expiry = (deadline: Deadline): Expiry => expiryOf(deadline, this.#clock.earliest(this.#now()));

  async #find(): Promise<ReadyServer> {
    await this.stats();
    const dialect = await this.#dialect();
    // Draws take turns per key: a second probe must not make a second queue.
    if (this.#ready?.dialect.capability !== dialect.capability) {
      this.#ready = { dialect, draws: new CounterDraws(dialect, this.expiry) };
    }
    return this.#ready;
  }

  async #dialect(): Promise<Dialect> {
    if (this.#protocol !== 'classic') {
      const meta = new MetaDialect(this.client);
      try {
        await this.#tryOut(meta);
        return meta;
      } catch (error) {
        if (this.#protocol === 'meta' || !isUnknownCommand(error)) throw error;
      }
    }
    const classic = new ClassicDialect(this.client.classic);
    await this.#tryOut(classic);
    return classic;
  }

  /** Does once, on scratch entries that expire by themselves, what the store will rely on. */
  async #tryOut(dialect: Dialect): Promise<void> {
    const nowMs = this.#clock.at(this.#now());
    const expiry = this.expiry(deadlineAt(nowMs + SCRATCH_MS, nowMs));
    const name = `weir:probe:${crypto.randomUUID()}`;
    const [counter, value] = [`${name}:n`, `${name}:v`];
    const first = await dialect.raise(counter, 2, expiry);
    const second = await dialect.raise(counter, 3, expiry);
    await dialect.add(value, 'a', expiry);
    const held = await dialect.fetch(value);
    const counts = first.total === 2 && second.total === 5 && second.before === 2 && !second.undated;
    if (!counts || held?.latin1 !== 'a') {
      throw new QuotaError(
        'store-refused',
        `memcached ${this.client.name} does not count as ${dialect.mechanism} should`,
      );
    }
    // With -C every entry has the same token, and a compare-and-swap would always succeed.
    const swapped =
      held.cas === '' || held.cas === '0' ? 'changed' : await dialect.replace(value, 'b', expiry, held.cas);
    if (swapped !== 'stored') {
      throw new QuotaError(
        'store-unavailable',
        `memcached ${this.client.name} has no compare-and-swap: run it without -C`,
      );
    }
    await Promise.all([dialect.remove(counter), dialect.remove(value)]);
  }
}

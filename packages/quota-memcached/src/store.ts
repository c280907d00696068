import {
  hostClock,
  QuotaError,
  takeAllStepwise,
  type Clock,
  type Deadline,
  type Draw,
  type Drawn,
  type GroupDrawn,
  type Marker,
  type Return,
  type Store,
  type StoreHealth,
  type StoreProfile,
  type Swapped,
} from '@weir/quota';
import { MemcachedClient, type MemcachedClientOptions } from './client.ts';
import { CounterServer, type Protocol, type ReadyServer } from './counter-server.ts';
import { fitting } from './sharing.ts';
import { healthOf } from './health.ts';
import { inKeyOrder } from './key-order.ts';
import { MAX_KEY_BYTES } from './keys.ts';

/** What a memcached store may be told. */
export interface MemcachedStoreOptions {
  /** Which commands to use, default `auto`: the meta commands (memcached 1.6 and newer), else the classic ones. */
  readonly protocol?: Protocol;
  /**
   * Whether `health` counts entries without a deadline by dumping all keys of every server. Default false: a dump walks the whole
   * memory of the server.
   */
  readonly countUndated?: boolean;
  /** Our time in ms since 1970, default `Date.now`. */
  readonly clock?: Clock;
}

/** How often `swap` may find that a value changed to something else and back. */
const MOST_SWAPS = 16;

/**
 * Counters on memcached: raised and dated by one `ma`, limited without ever passing the limit (see `draws.ts`), always with an
 * absolute deadline. memcached forgets everything when it restarts and may evict what is least recently used when full; a draw
 * that was told what to expect reports `vanished` then.
 */
export class MemcachedStore implements Store {
  readonly name: string = 'memcached';
  readonly #client: MemcachedClient;
  readonly #ownsClient: boolean;
  readonly #servers: readonly CounterServer[];
  readonly #countUndated: boolean;
  readonly #assumed: Protocol;

  /**
   * @param client a client that the application holds (and closes), or the options of one for this store alone.
   * @throws {QuotaError} `invalid-argument` for bad client options.
   */
  constructor(client: MemcachedClient | MemcachedClientOptions, options: MemcachedStoreOptions = {}) {
    this.#ownsClient = !(client instanceof MemcachedClient);
    this.#client = client instanceof MemcachedClient ? client : new MemcachedClient(client);
    this.#assumed = options.protocol ?? 'auto';
    this.#countUndated = options.countUndated ?? false;
    const clock = options.clock ?? hostClock;
    this.#servers = this.#client.servers.map((server) => new CounterServer(server, this.#assumed, clock));
  }

  /** The least of what the servers can do; before they were asked, what the options promise. */
  get profile(): StoreProfile {
    const known = this.#servers.flatMap((server) => server.known?.dialect ?? []);
    const classic =
      this.#assumed === 'classic' || known.some((dialect) => dialect.capability === 'increment-then-date');
    return {
      capability: classic ? 'increment-then-date' : 'dated-increment',
      mechanism: classic ? 'incr, add' : 'ma N',
      exact: true,
      atomicGroups: false,
      maxKeyBytes: MAX_KEY_BYTES,
    };
  }

  async probe(): Promise<StoreProfile> {
    await Promise.all(this.#servers.map((server) => server.probe()));
    return this.profile;
  }

  take(draws: readonly Draw[]): Promise<readonly (Drawn | Error)[]> {
    return inKeyOrder(draws, (draw) => {
      const ready = this.#ready(draw.key);
      return ready instanceof Promise ? ready.then((server) => server.draws.draw(draw)) : ready.draws.draw(draw);
    });
  }

  /** Looks at all counters first, so that a group that cannot fit raises none of them; then draws step by step. */
  async takeAll(draws: readonly Draw[], marker?: Marker): Promise<GroupDrawn> {
    return (await this.#refusal(draws, marker)) ?? takeAllStepwise(this, draws, marker);
  }

  giveBack(returns: readonly Return[]): Promise<readonly (number | undefined | Error)[]> {
    return inKeyOrder(returns, async ({ key, amount, deadline }) => {
      const { dialect } = await this.#ready(key);
      const lowered = await dialect.lower(key, amount);
      if (typeof lowered === 'string') return undefined;
      if (lowered.undated) await dialect.date(key, this.#serverOf(key).expiry(deadline));
      return lowered.total;
    });
  }

  read(keys: readonly string[]): Promise<readonly (number | undefined | Error)[]> {
    const items = keys.map((key) => ({ key }));
    return inKeyOrder(items, async ({ key }) => (await (await this.#ready(key)).dialect.look(key))?.total);
  }

  async get(key: string): Promise<string | undefined> {
    const held = await (await this.#ready(key)).dialect.fetch(key);
    return held === undefined ? undefined : textOf(held.latin1);
  }

  async swap(key: string, expected: string | undefined, next: string, deadline: Deadline): Promise<Swapped> {
    const { dialect } = await this.#ready(key);
    const expiry = this.#serverOf(key).expiry(deadline);
    const bytes = latin1Of(next);
    for (let turn = 0; turn < MOST_SWAPS; turn++) {
      if (expected === undefined && (await dialect.add(key, bytes, expiry)) === 'stored')
        return { swapped: true, value: next };
      const held = await dialect.fetch(key);
      const value = held === undefined ? undefined : textOf(held.latin1);
      if (value !== expected) return { swapped: false, value };
      // Absent as expected: it went between `add` and here, so add again.
      if (held === undefined) continue;
      if ((await dialect.replace(key, bytes, expiry, held.cas)) === 'stored') return { swapped: true, value: next };
    }
    throw new QuotaError('store-unavailable', `${JSON.stringify(key)} changes faster than it can be swapped`);
  }

  async remove(keys: readonly string[]): Promise<void> {
    await Promise.all(keys.map(async (key) => (await this.#ready(key)).dialect.remove(key)));
  }

  /**
   * The clock of the first server that answers, in ms. memcached tells whole seconds; repeated questions narrow that down to
   * milliseconds (see `server-clock.ts`), the first answer is right to about half a second.
   */
  async time(): Promise<number> {
    let failure: unknown;
    for (const server of this.#servers) {
      try {
        return await server.time();
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  health(): Promise<StoreHealth> {
    return healthOf(this.#client, this.#servers, this.#countUndated);
  }

  laneOf(key: string): string {
    return this.#serverOf(key).client.name;
  }

  close(): Promise<void> {
    if (this.#ownsClient) this.#client.close();
    return Promise.resolve();
  }

  #serverOf(key: string): CounterServer {
    const server = this.#servers[this.#client.indexOf(key)];
    if (server === undefined) throw new QuotaError('invalid-argument', 'no server for this key');
    return server;
  }

  #ready(key: string): ReadyServer | Promise<ReadyServer> {
    return this.#serverOf(key).ready();
  }

  /** The refusal of a group that does not fit as the counters stand; `undefined`: draw and see. */
  async #refusal(draws: readonly Draw[], marker: Marker | undefined): Promise<GroupDrawn | undefined> {
    const [mark, counts] = await Promise.all([
      marker === undefined ? undefined : this.get(marker.key),
      inKeyOrder(draws, async ({ key }) => (await this.#ready(key)).dialect.look(key)),
    ]);
    // An earlier attempt under this marker decides, whatever the counters say now.
    if (mark !== undefined) return undefined;
    const done: Drawn[] = [];
    const refused: number[] = [];
    for (const [index, draw] of draws.entries()) {
      const count = counts[index];
      // A failure shows itself again, and an undated counter gets its date, when the draws are made.
      if (count instanceof Error || count?.undated === true) return undefined;
      const total = count?.total ?? 0;
      done.push({ granted: 0, total });
      if (fitting(draw, total) < draw.amount) refused.push(index);
    }
    return refused.length === 0 ? undefined : { outcome: 'refused', draws: done, refused };
  }
}

const ASCII = /^[\0-\x7f]*$/;

function latin1Of(text: string): string {
  return ASCII.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}

function textOf(latin1: string): string {
  return ASCII.test(latin1) ? latin1 : Buffer.from(latin1, 'latin1').toString('utf8');
}

import { QuotaError, type Capability } from '@weir/quota';
import type { Count, Dialect, Held, Raised } from '../../src/dialect.ts';
import type { Expiry } from '../../src/expiry.ts';
import type { NotDone } from '../../src/replies.ts';

interface ModelCounter {
  total: number;
  expiry: Expiry | undefined;
  cas: number;
}

/** What may happen to one command on its way. */
export type Fate = 'answered' | 'lost-before' | 'lost-after';

/** How a test steers a model server. */
export interface ModelSteering {
  /** Waited for before a command reaches the server, and again before its reply arrives. */
  readonly travel?: (label: string) => Promise<void>;
  readonly fate?: () => Fate;
  /** As the meta protocol can and the classic one cannot. */
  readonly conditional: boolean;
}

/** The counters of a memcached, each command one atomic step, with the network in the hands of a test. */
export class ModelServer {
  readonly counters = new Map<string, ModelCounter>();
  commands = 0;
  #cas = 0;

  /** A client's view of this server. */
  dialect(steering: ModelSteering): Dialect {
    const command = async <T>(label: string, run: () => T): Promise<T> => {
      this.commands += 1;
      const fate = steering.fate?.() ?? 'answered';
      await steering.travel?.(`${label} request`);
      if (fate === 'lost-before') throw new QuotaError('store-unavailable', `${label}: connection lost`);
      const result = run();
      await steering.travel?.(`${label} reply`);
      if (fate === 'lost-after') throw new QuotaError('store-unavailable', `${label}: connection lost`);
      return result;
    };
    const conditional = (key: string, amount: number, count: Count): Promise<Count | NotDone> =>
      command('raise unchanged', () => this.#change(key, amount, count));
    return {
      capability: 'dated-increment' satisfies Capability,
      mechanism: 'model',
      raise: (key, amount, expiry) => command('raise', () => this.#raise(key, amount, expiry)),
      raiseUnchanged: steering.conditional ? conditional : undefined,
      lower: (key, amount, count) =>
        command('lower', () => this.#change(key, -amount, steering.conditional ? count : undefined)),
      look: (key) => command('look', () => this.#count(key)),
      date: (key, expiry) =>
        command('date', () => {
          const counter = this.counters.get(key);
          if (counter !== undefined) counter.expiry = expiry;
          return this.#count(key);
        }),
      fetch: (): Promise<Held | undefined> => Promise.resolve(undefined),
      add: (): Promise<NotDone> => Promise.resolve('changed'),
      replace: (): Promise<NotDone> => Promise.resolve('changed'),
      remove: (): Promise<void> => Promise.resolve(),
    };
  }

  plant(key: string, total: number, expiry?: Expiry): void {
    this.counters.set(key, { total, expiry, cas: (this.#cas += 1) });
  }

  #raise(key: string, amount: number, expiry: Expiry): Raised {
    const counter = this.counters.get(key);
    if (counter === undefined) this.plant(key, amount, expiry);
    else {
      counter.total += amount;
      counter.cas = this.#cas += 1;
    }
    return { ...this.#mustCount(key), before: counter === undefined ? 0 : counter.total - amount };
  }

  #change(key: string, by: number, unchanged: Count | undefined): Count | NotDone {
    const counter = this.counters.get(key);
    if (counter === undefined) return 'absent';
    if (unchanged !== undefined && unchanged.cas !== String(counter.cas)) return 'changed';
    counter.total = Math.max(0, counter.total + by);
    counter.cas = this.#cas += 1;
    return this.#mustCount(key);
  }

  #count(key: string): Count | undefined {
    const counter = this.counters.get(key);
    if (counter === undefined) return undefined;
    return { total: counter.total, undated: counter.expiry === undefined, cas: String(counter.cas) };
  }

  #mustCount(key: string): Count {
    const count = this.#count(key);
    if (count === undefined) throw new Error(`${key} is absent`);
    return count;
  }
}

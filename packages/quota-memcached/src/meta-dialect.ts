import { QuotaError } from '@weir/quota';
import type { Count, Dialect, Held, Raised } from './dialect.ts';
import type { Expiry } from './expiry.ts';
import { corrupt } from './failures.ts';
import { beforeAdding, totalOf, WRAP } from './numbers.ts';
import type { NotDone } from './replies.ts';
import type { MetaCount, MemcachedServerClient } from './server-client.ts';

/** The server shows seconds left as an unsigned 32-bit number, so a deadline that has passed shows as more than this. */
const DEAD_FROM_SECONDS = 2_147_483_648;

/** Counting with `ma`, which raises, creates and dates in one step and shows in its reply whether there is a deadline. */
export class MetaDialect implements Dialect {
  readonly capability = 'dated-increment';
  readonly mechanism: string = 'ma N';
  readonly #server: MemcachedServerClient;

  constructor(server: MemcachedServerClient) {
    this.#server = server;
  }

  async raise(key: string, amount: number, expiry: Expiry): Promise<Raised> {
    const count = await this.#server.ma(key, { delta: amount, create: expiry });
    if (typeof count === 'string') throw corrupt(key, 'it came and went while it was created');
    if (count.remainingSeconds >= DEAD_FROM_SECONDS) {
      throw new QuotaError(
        'invalid-deadline',
        `memcached ${this.#server.name} takes ${expiry} for a time that has passed: its clock is ahead, nothing was counted`,
      );
    }
    const { total, before } = beforeAdding(key, count.digits, amount);
    if (before < 0) {
      // It went once round: such a number is damage, but damage that refused; it must not become one that admits.
      await this.#server.ma(key, { delta: WRAP - BigInt(amount) });
      throw corrupt(key, 'it is at the end of what memcached can count');
    }
    return { total, before, undated: count.remainingSeconds === -1, cas: count.cas };
  }

  readonly raiseUnchanged = async (key: string, amount: number, count: Count): Promise<Count | NotDone> => {
    const raised = await this.#server.ma(key, { delta: amount, ...unchanged(count) });
    return typeof raised === 'string' ? raised : countOf(key, raised);
  };

  async lower(key: string, amount: number, count?: Count): Promise<Count | NotDone> {
    const lowered = await this.#server.ma(key, { delta: amount, mode: 'decrement', ...unchanged(count) });
    return typeof lowered === 'string' ? lowered : countOf(key, lowered);
  }

  async look(key: string): Promise<Count | undefined> {
    const item = await this.#server.mg(key);
    return item === undefined ? undefined : countOf(key, { ...item, digits: item.latin1 });
  }

  /**
   * By `mg`, not by `ma` with a delta of 0: memcached 1.6.18 answers that `ma` dated the item, and leaves it undated when the item
   * is being moved in the LRU at that moment, as items that were just read are.
   */
  async date(key: string, expiry: Expiry): Promise<Count | undefined> {
    const item = await this.#server.mg(key, expiry);
    return item === undefined ? undefined : countOf(key, { ...item, digits: item.latin1 });
  }

  fetch(key: string): Promise<Held | undefined> {
    return this.#server.mg(key);
  }

  add(key: string, latin1: string, expiry: Expiry): Promise<'stored' | NotDone> {
    return this.#server.ms(key, latin1, { expiry, add: true });
  }

  replace(key: string, latin1: string, expiry: Expiry, cas: string): Promise<'stored' | NotDone> {
    return this.#server.ms(key, latin1, { expiry, ifUnchanged: cas });
  }

  async remove(key: string): Promise<void> {
    await this.#server.md(key);
  }
}

function unchanged(count: Count | undefined): { ifUnchanged: string } | undefined {
  return count?.cas === undefined ? undefined : { ifUnchanged: count.cas };
}

function countOf(key: string, count: MetaCount): Count {
  return { total: totalOf(key, count.digits), undated: count.remainingSeconds === -1, cas: count.cas };
}

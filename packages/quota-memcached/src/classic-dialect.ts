import type { ClassicCommands } from './classic-commands.ts';
import type { Count, Dialect, Held, Raised } from './dialect.ts';
import type { Expiry } from './expiry.ts';
import { corrupt } from './failures.ts';
import { beforeAdding, totalOf, WRAP } from './numbers.ts';
import type { NotDone } from './replies.ts';

/** How often `incr` and `add` may miss each other before the counter is called unusable. */
const MOST_MISSES = 8;

/**
 * Counting with `incr`, and `add` where there is nothing to raise: `add` carries the deadline, so no counter is born without one.
 * The classic protocol never shows a deadline: an undated counter that another program left under the same key stays
 * undated here; the audit finds it.
 */
export class ClassicDialect implements Dialect {
  readonly capability = 'increment-then-date';
  readonly mechanism: string = 'incr, add';
  /** `cas` would write the deadline again and so might move it; draws are taken back instead where they overshoot. */
  readonly raiseUnchanged = undefined;
  readonly #commands: ClassicCommands;

  constructor(commands: ClassicCommands) {
    this.#commands = commands;
  }

  async raise(key: string, amount: number, expiry: Expiry): Promise<Raised> {
    for (let miss = 0; miss < MOST_MISSES; miss++) {
      const digits = await this.#commands.change('incr', key, amount);
      if (digits !== undefined) return this.#raised(key, digits, amount);
      if (await this.#commands.add(key, String(amount), expiry)) return { ...counted(amount), before: 0 };
    }
    throw corrupt(key, 'it comes and goes: is its deadline in the past of this server?');
  }

  async lower(key: string, amount: number): Promise<Count | NotDone> {
    const digits = await this.#commands.change('decr', key, amount);
    return digits === undefined ? 'absent' : counted(totalOf(key, digits));
  }

  async look(key: string): Promise<Count | undefined> {
    const item = await this.#commands.gets(key);
    return item === undefined ? undefined : counted(totalOf(key, item.latin1));
  }

  date(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  fetch(key: string): Promise<Held | undefined> {
    return this.#commands.gets(key);
  }

  async add(key: string, latin1: string, expiry: Expiry): Promise<'stored' | NotDone> {
    return (await this.#commands.add(key, latin1, expiry)) ? 'stored' : 'changed';
  }

  replace(key: string, latin1: string, expiry: Expiry, cas: string): Promise<'stored' | NotDone> {
    return this.#commands.cas(key, latin1, expiry, cas);
  }

  async remove(key: string): Promise<void> {
    await this.#commands.delete(key);
  }

  async #raised(key: string, digits: string, amount: number): Promise<Raised> {
    const { total, before } = beforeAdding(key, digits, amount);
    if (before < 0) {
      await this.#commands.change('incr', key, WRAP - BigInt(amount));
      throw corrupt(key, 'it is at the end of what memcached can count');
    }
    return { ...counted(total), before };
  }
}

function counted(total: number): Count {
  return { total, undated: false, cas: undefined };
}

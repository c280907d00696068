import type { Connection } from './connection.ts';
import type { Expiry } from './expiry.ts';
import { unavailable } from './failures.ts';
import { classicKey, type Key } from './keys.ts';
import type { NotDone, Reply } from './replies.ts';

/** An entry, as `gets` finds it. */
export interface ClassicItem {
  /** The value, one latin1 character a byte. */
  readonly latin1: string;
  /** For `cas`. */
  readonly cas: string;
}

/**
 * The classic text commands, which every memcached knows. They cannot tell when an entry expires; `add` and `cas` date what
 * they write, `incr` and `decr` never create anything. Same errors as the meta commands.
 */
export class ClassicCommands {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** `gets`: the entry, or `undefined`. */
  async gets(key: Key): Promise<ClassicItem | undefined> {
    const reply = await this.#connection.send(`gets ${classicKey(key)}\r\n`, 'value');
    if (reply.body === undefined) return undefined;
    return { latin1: reply.body, cas: reply.line.split(' ')[4] ?? '' };
  }

  /** `add`: writes where absent; says whether it did. */
  async add(key: Key, latin1: string, expiry: Expiry): Promise<boolean> {
    const reply = await this.#write(`add ${classicKey(key)} 0 ${expiry} ${latin1.length}\r\n${latin1}\r\n`);
    return this.#oneOf(reply, [
      ['STORED', true],
      ['NOT_STORED', false],
    ]);
  }

  /** `cas`: writes if nobody has since. */
  async cas(key: Key, latin1: string, expiry: Expiry, cas: string): Promise<'stored' | NotDone> {
    const reply = await this.#write(`cas ${classicKey(key)} 0 ${expiry} ${latin1.length} ${cas}\r\n${latin1}\r\n`);
    return this.#oneOf(reply, [
      ['STORED', 'stored'],
      ['EXISTS', 'changed'],
      ['NOT_FOUND', 'absent'],
    ]);
  }

  /** `incr` and `decr`: the new value's digits, or `undefined` where the number is absent. `decr` stops at 0. */
  async change(direction: 'incr' | 'decr', key: Key, amount: number | bigint): Promise<string | undefined> {
    const reply = await this.#write(`${direction} ${classicKey(key)} ${amount}\r\n`);
    if (/^\d+ *$/.test(reply.line)) return reply.line;
    return this.#oneOf(reply, [['NOT_FOUND', undefined]]);
  }

  /** `delete`: says whether there was something. */
  async delete(key: Key): Promise<boolean> {
    const reply = await this.#write(`delete ${classicKey(key)}\r\n`);
    return this.#oneOf(reply, [
      ['DELETED', true],
      ['NOT_FOUND', false],
    ]);
  }

  #write(text: string): Promise<Reply> {
    return this.#connection.send(text, 'line');
  }

  #oneOf<T>(reply: Reply, meanings: readonly (readonly [line: string, meaning: T])[]): T {
    const found = meanings.find(([line]) => line === reply.line);
    if (found !== undefined) return found[1];
    throw unavailable(
      this.#connection.server,
      `gave an answer that is not understood: ${JSON.stringify(reply.line.slice(0, 80))}`,
    );
  }
}

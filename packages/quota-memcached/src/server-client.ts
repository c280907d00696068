import { ClassicCommands } from './classic-commands.ts';
import type { Connection } from './connection.ts';
import type { Expiry } from './expiry.ts';
import { unavailable } from './failures.ts';
import { keyBytes, metaKey, type Key } from './keys.ts';
import type { NotDone, Reply } from './replies.ts';

/** An entry, as `mg` finds it. */
export interface MetaItem {
  /** The value, one latin1 character a byte: `Buffer.from(latin1, 'latin1')` gives the bytes. */
  readonly latin1: string;
  /** Seconds left, rounded by the server; -1: it has no deadline. */
  readonly remainingSeconds: number;
  /** For `ifUnchanged`. */
  readonly cas: string;
}

/** A number after `ma`. */
export interface MetaCount {
  readonly digits: string;
  /** Seconds left; -1: no deadline; over 2^31: the entry was created with a deadline that has passed, it is gone already. */
  readonly remainingSeconds: number;
  readonly cas: string;
}

/** How `ma` changes a number. */
export interface Arithmetic {
  /** Amount, a whole number from 0 to 2^64 - 1; never negative. */
  readonly delta: number | bigint;
  /** Default `increment`, which wraps at 2^64; `decrement` stops at 0. */
  readonly mode?: 'increment' | 'decrement';
  /** Where absent, create it with the value `delta` and this deadline. Without it an absent number stays absent. */
  readonly create?: Expiry;
  /** Gives it this deadline. */
  readonly date?: Expiry;
  /** Only if the entry still has this `cas`. */
  readonly ifUnchanged?: string;
}

/** How `ms` writes. */
export interface Writing {
  readonly expiry: Expiry;
  /** Only where absent. */
  readonly add?: boolean;
  /** Only if the entry still has this `cas`. */
  readonly ifUnchanged?: string;
}

/**
 * The meta commands of one memcached (1.6 and newer). Calls may be made at any time; they travel pipelined, those of one tick
 * in one write. Nothing that it writes can lack a deadline.
 *
 * Every call rejects with a `QuotaError`: `store-unavailable`, `store-timeout` (whether it was executed is unknown then),
 * `store-refused` when the server does not know the command, `invalid-argument` for an impossible key.
 */
export class MemcachedServerClient {
  /** `host:port`. */
  readonly name: string;
  /** The commands of servers before 1.6. */
  readonly classic: ClassicCommands;
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.name = connection.server;
    this.classic = new ClassicCommands(connection);
    this.#connection = connection;
  }

  /**
   * `mg`: the entry, or `undefined`.
   * @param date gives it this deadline, whatever it had.
   */
  async mg(key: Key, date?: Expiry): Promise<MetaItem | undefined> {
    const { text, flag } = metaKey(key);
    const reply = await this.#connection.meta(`mg ${text}`, `${flag} v t c${date === undefined ? '' : ` T${date}`}`);
    if (reply.body === undefined) return undefined;
    return { latin1: reply.body, remainingSeconds: Number(flagOf(reply.line, 't')), cas: flagOf(reply.line, 'c') };
  }

  /** `ms`: writes a value; latin1, one character a byte. */
  async ms(key: Key, latin1: string, writing: Writing): Promise<'stored' | NotDone> {
    const { text, flag } = metaKey(key);
    const mode = writing.add === true ? ' ME' : '';
    const cas = writing.ifUnchanged === undefined ? '' : ` C${writing.ifUnchanged}`;
    const reply = await this.#connection.meta(
      `ms ${text} ${latin1.length}`,
      `${flag} T${writing.expiry}${mode}${cas}\r\n${latin1}`,
    );
    switch (codeOf(reply)) {
      case 'HD':
        return 'stored';
      case 'NF':
        return 'absent';
      case 'NS':
      case 'EX':
        return 'changed';
      default:
        throw this.#unexpected(reply);
    }
  }

  /** `ma`: changes a number. */
  async ma(key: Key, arithmetic: Arithmetic): Promise<MetaCount | NotDone> {
    const { text, flag } = metaKey(key);
    const { delta, mode, create, date, ifUnchanged } = arithmetic;
    let flags = flag;
    if (create !== undefined) flags += ` N${create} J${delta}`;
    flags += mode === 'decrement' ? ` MD D${delta}` : ` D${delta}`;
    if (date !== undefined) flags += ` T${date}`;
    if (ifUnchanged !== undefined) flags += ` C${ifUnchanged}`;
    const reply = await this.#connection.meta(`ma ${text}`, `${flags} v t c`);
    if (reply.body !== undefined) {
      return { digits: reply.body, remainingSeconds: Number(flagOf(reply.line, 't')), cas: flagOf(reply.line, 'c') };
    }
    switch (codeOf(reply)) {
      case 'NF':
        return 'absent';
      case 'NS':
      case 'EX':
        return 'changed';
      default:
        throw this.#unexpected(reply);
    }
  }

  /** `md`: deletes an entry, only if it still has this `cas` when one is given. */
  async md(key: Key, ifUnchanged?: string): Promise<'deleted' | NotDone> {
    const { text, flag } = metaKey(key);
    const cas = ifUnchanged === undefined ? '' : ` C${ifUnchanged}`;
    const reply = await this.#connection.meta(`md ${text}`, flag + cas);
    switch (codeOf(reply)) {
      case 'HD':
        return 'deleted';
      case 'NF':
        return 'absent';
      case 'EX':
        return 'changed';
      default:
        throw this.#unexpected(reply);
    }
  }

  /** `me`: what the server knows about an entry (`exp`, `la`, `cas`, `fetch`, `cls`, `size`), or `undefined`. */
  async me(key: Key): Promise<ReadonlyMap<string, string> | undefined> {
    const { text, flag } = metaKey(key);
    // The reply names the key: as it is, whatever bytes it holds, when `ma` created it, and as base64 when `ms` did.
    const prefix = `ME ${keyBytes(key)} `;
    const { line } = await this.#connection.send(`me ${text}${flag}\r\n`, 'meta', prefix);
    if (!line.startsWith('ME ')) return undefined;
    const pairs = line
      .slice(line.startsWith(prefix) ? prefix.length : line.indexOf(' ', 'ME '.length) + 1)
      .split(' ')
      .map((pair): [string, string] => {
        const at = pair.indexOf('=');
        return [pair.slice(0, at), pair.slice(at + 1)];
      });
    return new Map(pairs);
  }

  /** `mn`: does nothing; resolves when everything sent before has been answered. */
  async mn(): Promise<void> {
    await this.#connection.send('mn\r\n', 'meta');
  }

  /** The server's version, such as `1.6.18`. */
  async version(): Promise<string> {
    const { line } = await this.#connection.send('version\r\n', 'line');
    return line.replace(/^VERSION /, '');
  }

  /** A group of statistics; default the general one. */
  async stats(group: '' | 'settings' = ''): Promise<ReadonlyMap<string, string>> {
    const { lines } = await this.#connection.send(group === '' ? 'stats\r\n' : `stats ${group}\r\n`, 'lines');
    const pairs = lines.map((line): [string, string] => {
      const [, name = '', ...value] = line.split(' ');
      return [name, value.join(' ')];
    });
    return new Map(pairs);
  }

  #unexpected(reply: Reply): Error {
    return unavailable(this.name, `gave an answer that is not understood: ${JSON.stringify(reply.line.slice(0, 80))}`);
  }
}

function codeOf(reply: Reply): string {
  return reply.line.slice(0, 2);
}

/** The token of a flag in a reply line; empty when it is not there. */
function flagOf(line: string, letter: string): string {
  const at = line.indexOf(` ${letter}`);
  if (at === -1) return '';
  const end = line.indexOf(' ', at + 2);
  return line.slice(at + 2, end === -1 ? line.length : end);
}

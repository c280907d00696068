import type { QuotaError, Timers } from '@weir/quota';
import type { ServerAddress } from './addresses.ts';
import { isUnknownCommand, reasonOf, refusal, timedOut, unavailable } from './failures.ts';
import { isErrorLine } from './replies.ts';
import type { OpenWire, Wire } from './sockets.ts';

/** One entry of a dump. */
export interface DumpEntry {
  /** The server that holds it. */
  readonly server: string;
  /** The key's bytes, one latin1 character each. */
  readonly keyLatin1: string;
  /** The key as UTF-8 text; bytes that are none become U+FFFD. */
  readonly key: string;
  /** Deadline in seconds since 1970; -1: none. */
  readonly expiresAtSeconds: number;
  /** Last access in seconds since 1970. */
  readonly lastAccessSeconds: number;
  /** Memory that the entry takes, in bytes. */
  readonly sizeBytes: number;
}

/** A dump that may be held back is, while more than this waits for the reader, in characters: what is read in one go without a pause for others. */
const MOST_WAITING = 131_072;

/**
 * From this version on a server lets go of its locks before it writes to the reader of a dump (memcached's pull request 998).
 * An older one keeps others waiting for as long as its reader does not read.
 */
const WRITES_UNLOCKED = [1, 6, 19];

const ENTRY = /^key=(\S+) exp=(-?\d+) la=(\d+) .*\bsize=(\d+)/;
const ESCAPE = /%([0-9A-Fa-f]{2})/g;

/** Reads one line of `lru_crawler metadump`; `undefined` when it is none. */
export function parseDumpLine(line: string, server: string): DumpEntry | undefined {
  const found = ENTRY.exec(line);
  if (found === null) return undefined;
  const [, escaped = '', expires, accessed, size] = found;
  const plain = !escaped.includes('%');
  const keyLatin1 = plain
    ? escaped
    : escaped.replaceAll(ESCAPE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return {
    server,
    keyLatin1,
    key: plain ? escaped : Buffer.from(keyLatin1, 'latin1').toString('utf8'),
    expiresAtSeconds: Number(expires),
    lastAccessSeconds: Number(accessed),
    sizeBytes: Number(size),
  };
}

/** Whether a server that answered so to `version` can be kept waiting without harm to others. */
export function mayBeHeldBack(answer: string): boolean {
  const parts = /^VERSION (\d+)\.(\d+)\.(\d+)/.exec(answer)?.slice(1).map(Number);
  if (parts === undefined) return false;
  for (const [index, least] of WRITES_UNLOCKED.entries()) {
    const part = parts[index] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}

/**
 * Streams the dump of one server over a connection of its own. It walks the hash table, which finds every entry that is there
 * all the while; servers that do not know that walk their LRU lists, and miss entries that change lists meanwhile.
 *
 * A slow reader holds the server back, so that memory stays flat; one older than 1.6.19 must not be, and what it sends waits in
 * memory, about 100 bytes for each entry.
 */
export async function* dumpEntries(
  address: ServerAddress,
  openWire: OpenWire,
  timers: Timers,
  silenceMs: number,
): AsyncGenerator<DumpEntry, void, undefined> {
  try {
    yield* walk('hash', address, openWire, timers, silenceMs);
  } catch (error) {
    // Refused as a whole, before the first entry.
    if (!isUnknownCommand(error)) throw error;
    yield* walk('all', address, openWire, timers, silenceMs);
  }
}

async function* walk(
  over: 'hash' | 'all',
  address: ServerAddress,
  openWire: OpenWire,
  timers: Timers,
  silenceMs: number,
): AsyncGenerator<DumpEntry, void, undefined> {
  const feed = new DumpFeed(address, openWire, timers, silenceMs);
  try {
    const [version = ''] = await feed.lines();
    feed.begin(`lru_crawler metadump ${over}\r\n`, mayBeHeldBack(version));
    for (;;) {
      for (const line of await feed.lines()) {
        if (line === 'END') return;
        // A crawler that is at work answers BUSY; a server with -X says so in words of its own.
        if (line.startsWith('BUSY')) throw unavailable(address.name, `is being dumped or crawled already: ${line}`);
        if (isErrorLine(line)) throw refusal(address.name, line);
        const entry = parseDumpLine(line, address.name);
        if (entry !== undefined) yield entry;
      }
    }
  } finally {
    feed.close();
  }
}

/** Turns what a socket pushes into lines that a reader pulls. */
class DumpFeed {
  readonly #wire: Wire;
  readonly #timers: Timers;
  #text = '';
  #failure: QuotaError | undefined;
  #wake: (() => void) | undefined;
  readonly #server: string;
  readonly #silenceMs: number;
  #mayHoldBack = false;

  constructor(address: ServerAddress, openWire: OpenWire, timers: Timers, silenceMs: number) {
    this.#timers = timers;
    this.#server = address.name;
    this.#silenceMs = silenceMs;
    this.#wire = openWire(address, {
      opened: () => this.#wire.write('version\r\n'),
      received: (bytes) => {
        this.#text += bytes;
        if (this.#mayHoldBack && this.#text.length > MOST_WAITING) this.#wire.pause();
        this.#wake?.();
      },
      lost: (cause) => {
        this.#failure ??= unavailable(
          address.name,
          `ended the dump early${cause === undefined ? '' : `: ${reasonOf(cause)}`}`,
        );
        this.#wake?.();
      },
    });
  }

  /** Asks for the dump, when the answer to `version` has been read. */
  begin(command: string, mayHoldBack: boolean): void {
    this.#mayHoldBack = mayHoldBack;
    this.#wire.write(command);
  }

  /** The whole lines that have arrived; waits for at least one. */
  async lines(): Promise<readonly string[]> {
    for (;;) {
      const end = this.#text.lastIndexOf('\n');
      if (end !== -1) {
        const lines = this.#text.slice(0, end).split('\n');
        this.#text = this.#text.slice(end + 1);
        this.#wire.resume();
        return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
      }
      if (this.#failure !== undefined) throw this.#failure;
      await this.#more();
    }
  }

  close(): void {
    this.#wire.destroy();
  }

  async #more(): Promise<void> {
    const silence = this.#timers.set(() => {
      this.#failure ??= timedOut(this.#server, this.#silenceMs);
      this.#wake?.();
    }, this.#silenceMs);
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = undefined;
    silence.cancel();
  }
}

import { QuotaError, hostTimers, type Clock, type Timers } from '@weir/quota';
import type { LookupFunction } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { parseAddress, type ServerAddress } from './addresses.ts';
import { Connection, type ConnectionEvent } from './connection.ts';
import { dumpEntries, type DumpEntry } from './dump.ts';
import { MemcachedServerClient } from './server-client.ts';
import { hostSockets, type OpenWire } from './sockets.ts';
import { spreadOver } from './spreading.ts';

/** Where the servers are, and the limits of a client. */
export interface MemcachedClientOptions {
  /**
   * One address or several: `host:port`, `memcached://host:port`, `memcacheds://host:port` (TLS), `unix:/path`. Keys are spread
   * over several by rendezvous hashing of these names, so every process must write them alike.
   */
  readonly servers: string | readonly string[];
  /** For `memcacheds://` addresses. */
  readonly tls?: ConnectionOptions;
  /** Name resolution, as in `net.connect`: it may refuse addresses. Default the system's. */
  readonly lookup?: LookupFunction;
  /** Longest wait for an answer, connecting included, in ms; 1 to 60,000, default 1,000. */
  readonly callTimeoutMs?: number;
  /** Most requests per server that wait for their answer, default 65,536; further ones fail at once. */
  readonly maxInFlight?: number;
  /** Told when a connection is made or lost; for logs and metrics. */
  readonly onConnection?: (event: ConnectionEvent) => void;
  /** A clock that never goes back, in ms. Default `performance.now`. */
  readonly now?: Clock;
  /** Default the host's. */
  readonly timers?: Timers;
  /** From [0, 1), for jitter. Default `Math.random`. */
  readonly random?: () => number;
  /** Opens sockets; for tests. Default those of the host. */
  readonly openWire?: OpenWire;
}

const DEFAULT_CALL_TIMEOUT_MS = 1_000;
const LONGEST_CALL_TIMEOUT_MS = 60_000;
const DEFAULT_MAX_IN_FLIGHT = 65_536;

/** A client of one or several memcached servers that speaks the meta protocol, with one pipelined connection to each. */
export class MemcachedClient {
  /** Each server's own commands, in the order given. */
  readonly servers: readonly MemcachedServerClient[];
  readonly #addresses: readonly ServerAddress[];
  readonly #connections: readonly Connection[];
  readonly #indexOf: (key: string) => number;
  readonly #openWire: OpenWire;
  readonly #timers: Timers;
  readonly #idleMs: number;

  /**
   * Opens nothing yet: the first call connects.
   * @throws {QuotaError} `invalid-argument` for a bad address, none, the same twice, or a limit out of bounds.
   */
  constructor(options: MemcachedClientOptions) {
    const texts = typeof options.servers === 'string' ? [options.servers] : options.servers;
    this.#addresses = texts.map(parseAddress);
    const names = this.#addresses.map(({ name }) => name);
    if (names.length === 0 || new Set(names).size < names.length) {
      throw new QuotaError('invalid-argument', 'servers must name at least one memcached, and none twice');
    }
    const callTimeoutMs = options.callTimeoutMs ?? DEFAULT_CALL_TIMEOUT_MS;
    const maxInFlight = options.maxInFlight ?? DEFAULT_MAX_IN_FLIGHT;
    if (!(callTimeoutMs >= 1 && callTimeoutMs <= LONGEST_CALL_TIMEOUT_MS) || !(maxInFlight >= 1)) {
      throw new QuotaError('invalid-argument', 'callTimeoutMs must be 1 to 60,000 and maxInFlight at least 1');
    }
    this.#openWire = options.openWire ?? hostSockets(options.tls, options.lookup);
    this.#timers = options.timers ?? hostTimers;
    this.#idleMs = LONGEST_CALL_TIMEOUT_MS;
    const world = {
      openWire: this.#openWire,
      now: options.now ?? (() => performance.now()),
      timers: this.#timers,
      random: options.random ?? Math.random,
      defer: (run: () => void): void => void setImmediate(run),
    };
    const report = options.onConnection ?? ((): void => undefined);
    this.#connections = this.#addresses.map(
      (address) => new Connection(address, { callTimeoutMs, maxInFlight }, world, report),
    );
    this.servers = this.#connections.map((connection) => new MemcachedServerClient(connection));
    this.#indexOf = spreadOver(names);
  }

  /** The index of the server that holds a key. */
  indexOf(key: string): number {
    return this.#indexOf(key);
  }

  /**
   * `lru_crawler metadump` of every server in turn, over connections of their own, streamed: memory stays flat and a slow
   * reader slows the server's dump down. A server older than 1.6.19 would make others wait then: it is read as fast as it
   * sends, and what the reader has not taken yet waits in memory, about 100 bytes for each entry. Entries whose deadline has
   * passed may be among them.
   * @throws {QuotaError} `store-unavailable` when a crawl runs already or a server cannot be reached, `store-refused` when it
   * forbids dumps (`-X`), `store-timeout` after 60 s of silence.
   */
  async *dump(): AsyncGenerator<DumpEntry, void, undefined> {
    for (const address of this.#addresses) yield* dumpEntries(address, this.#openWire, this.#timers, this.#idleMs);
  }

  /** Ends the connections; calls that wait fail with `store-unavailable`. */
  close(): void {
    for (const connection of this.#connections) connection.close();
  }
}

import { hostClock, QuotaError, takeAllStepwise } from '@weir/quota';
import type {
  Clock,
  Deadline,
  Draw,
  Drawn,
  GroupDrawn,
  Marker,
  Return,
  Store,
  StoreHealth,
  StoreProfile,
  Swapped,
} from '@weir/quota';
import { redisCommands } from './clients/recognise.ts';
import { takeGroupByScript } from './mechanisms/group-take.ts';
import { takeByIncrex } from './mechanisms/increx-take.ts';
import { PlainTake } from './mechanisms/plain-take.ts';
import { takeByScript } from './mechanisms/script-take.ts';
import { perSlot, shareSlot } from './mechanisms/slot-groups.ts';
import { probeMechanism, serverTimeMs } from './probe.ts';
import type { Mechanism } from './probe.ts';
import type { RedisClient, RedisCommands } from './redis-commands.ts';
import { asArray, asNumber, asText, asTotal, deadOnArrival, notACounter } from './replies.ts';
import { replyCode, toQuotaError } from './reply-errors.ts';
import { runScript, scripts } from './scripts/script.ts';
import { healthOf } from './server-info.ts';
import { slotOf } from './slots.ts';

/** How the store reaches Redis and counts there. */
export interface RedisStoreOptions {
  /** A connected client of the application, or a port of one's own. The store never closes it. */
  readonly client: RedisClient | RedisCommands;
  /**
   * Draws from counters that this process has seen dated, far from their limit and few at a time, go as plain INCRBY. Halves
   * what such a draw costs the server. Default false: a counter that vanished and whose drawer dies in the next round trip
   * could then stay without a deadline.
   */
  readonly fastPath?: boolean;
  /** Default `Date.now`; spaces reconnections out. */
  readonly clock?: Clock;
}

/** Beyond this many draws at once the script wins, whatever the server can: it is one command for all of them. */
const MAX_SINGLE_COMMANDS = 4;

/** Least time between two reconnections that this store asks for, in ms: a failover takes about a second. */
const RECONNECT_PAUSE_MS = 1_000;

/** Longest key in bytes. Redis would take 512 MB; a counter's key is its main cost in memory. */
const MAX_KEY_BYTES = 1_024;

/** Counters on Redis or Valkey: a single server, a Sentinel group, or a cluster, through a client that the application holds. */
export class RedisStore implements Store {
  readonly name: string = 'redis';
  /** Only in a cluster: the address of the node that holds the key. */
  readonly laneOf?: (key: string) => string;
  readonly #commands: RedisCommands;
  readonly #plain: PlainTake | undefined;
  readonly #clock: Clock;
  #mechanism: Mechanism = 'script';
  #reconnectedAtMs = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  /** @throws {QuotaError} `invalid-argument` when the client is not recognised. */
  constructor(options: RedisStoreOptions) {
    const commands = redisCommands(options.client);
    this.#commands = commands;
    this.#plain = options.fastPath === true ? new PlainTake(commands) : undefined;
    this.#clock = options.clock ?? hostClock;
    if (commands.isCluster) {
      this.laneOf = (key) => commands.nodeOf(slotOf(commands.keyPrefix + key)) ?? 'unknown node';
    }
  }

  get profile(): StoreProfile {
    return {
      capability: 'dated-increment',
      mechanism: this.#mechanism,
      exact: true,
      // Counters of one subject share a slot and are charged in one step; others are charged step by step.
      atomicGroups: !this.#commands.isCluster,
      maxKeyBytes: MAX_KEY_BYTES,
    };
  }

  async probe(): Promise<StoreProfile> {
    this.#mechanism = await this.#guard(() => probeMechanism(this.#commands));
    return this.profile;
  }

  take(draws: readonly Draw[]): Promise<readonly (Drawn | Error)[]> {
    return this.#guard(async () => {
      await this.#plain?.dateSuspects((keys) => shareSlot(this.#commands, keys));
      return perSlot(
        this.#commands,
        draws,
        (draw) => draw.key,
        (chunk) => this.#takeChunk(chunk),
      );
    });
  }

  takeAll(draws: readonly Draw[], marker?: Marker): Promise<GroupDrawn> {
    const keys = draws.map((draw) => draw.key);
    if (marker !== undefined) keys.push(marker.key);
    return this.#guard(() =>
      shareSlot(this.#commands, keys)
        ? takeGroupByScript(this.#commands, draws, marker)
        : takeAllStepwise(this, draws, marker),
    );
  }

  giveBack(returns: readonly Return[]): Promise<readonly (number | undefined | Error)[]> {
    const byScript = async (chunk: readonly Return[]): Promise<readonly (number | undefined | Error)[]> => {
      const keys = chunk.map(({ key }) => key);
      const args = chunk.flatMap(({ amount, deadline }) => [String(amount), String(deadline)]);
      const reply = asArray(await runScript(this.#commands, scripts['give-back'], keys, args), keys.length);
      return keys.map((key, index) => {
        const total = asNumber(reply[index]);
        if (total === -1) return undefined;
        return total < 0 ? notACounter(key) : total;
      });
    };
    return this.#guard(() => perSlot(this.#commands, returns, ({ key }) => key, byScript));
  }

  read(keys: readonly string[]): Promise<readonly (number | undefined | Error)[]> {
    const byMget = async (chunk: readonly string[]): Promise<readonly (number | undefined | Error)[]> => {
      const reply = asArray(await this.#commands.send(['MGET', ...chunk], chunk[0]), chunk.length);
      return chunk.map((key, index) => {
        const text = asText(reply[index]);
        if (text === undefined) return undefined;
        try {
          return asTotal(key, text);
        } catch (error) {
          return toQuotaError(error);
        }
      });
    };
    return this.#guard(() => perSlot(this.#commands, keys, (key) => key, byMget));
  }

  get(key: string): Promise<string | undefined> {
    return this.#guard(async () => asText(await this.#commands.send(['GET', key], key)));
  }

  swap(key: string, expected: string | undefined, next: string, deadline: Deadline): Promise<Swapped> {
    return this.#guard(async () => {
      const args = [expected === undefined ? '0' : '1', expected ?? '', next, String(deadline)];
      const reply = asArray(await runScript(this.#commands, scripts.swap, [key], args), 1);
      const outcome = asNumber(reply[0]);
      if (outcome === 2) throw deadOnArrival(key);
      return outcome === 1 ? { swapped: true, value: next } : { swapped: false, value: asText(reply[1]) };
    });
  }

  async remove(keys: readonly string[]): Promise<void> {
    const byUnlink = async (chunk: readonly string[]): Promise<readonly undefined[]> => {
      await this.#commands.send(['UNLINK', ...chunk], chunk[0]);
      return chunk.map(() => undefined);
    };
    const results = await this.#guard(() => perSlot(this.#commands, keys, (key) => key, byUnlink));
    const failure = results.find((result) => result instanceof Error);
    if (failure !== undefined) throw failure;
  }

  time(): Promise<number> {
    return this.#guard(async () => Math.floor(await serverTimeMs(this.#commands)));
  }

  health(): Promise<StoreHealth> {
    return this.#guard(async () => {
      const replies = await this.#commands.sendToPrimaries(['INFO']);
      return healthOf(replies.map((reply) => asText(reply) ?? ''));
    });
  }

  /** Later calls reject with `closed`. The client stays open: it is the application's. */
  close(): Promise<void> {
    this.#isClosed = true;
    return Promise.resolve();
  }

  /** @param chunk draws of one slot. */
  async #takeChunk(chunk: readonly Draw[]): Promise<readonly (Drawn | Error)[]> {
    const byScript = (draws: readonly Draw[]): Promise<readonly (Drawn | Error)[]> =>
      takeByScript(this.#commands, draws);
    const few = chunk.length <= MAX_SINGLE_COMMANDS && new Set(chunk.map((draw) => draw.key)).size === chunk.length;
    if (few && this.#mechanism === 'INCREX') {
      const drawn = await takeByIncrex(this.#commands, chunk, byScript);
      if (!drawn.some(isUnknownCommand)) return this.#note(drawn);
      // Another server answers than the one that was probed, an older one. It did nothing.
      this.#mechanism = 'script';
      const again = await byScript(chunk.filter((_, index) => isUnknownCommand(drawn[index])));
      let next = 0;
      return drawn.map((result) => (isUnknownCommand(result) ? (again[next++] ?? result) : result));
    }
    const plain = this.#plain;
    if (few && plain !== undefined && chunk.every((draw) => plain.suits(draw))) {
      return this.#note(await plain.take(chunk));
    }
    return this.#note(await byScript(chunk));
  }

  /** Failures inside a batch are looked at as those of a call are. */
  #note(results: readonly (Drawn | Error)[]): readonly (Drawn | Error)[] {
    for (const result of results) if (result instanceof Error) this.#observe(result);
    return results;
  }

  async #guard<T>(call: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new QuotaError('closed', 'the Redis store was closed');
    try {
      return await call();
    } catch (error) {
      this.#observe(error);
      throw toQuotaError(error);
    }
  }

  /** A replica that answers READONLY was the primary when the client connected: only a new connection finds the new one. */
  #observe(error: unknown): void {
    const cause = error instanceof QuotaError ? error.cause : error;
    if (replyCode(cause) !== 'READONLY') return;
    const nowMs = this.#clock();
    if (nowMs - this.#reconnectedAtMs < RECONNECT_PAUSE_MS) return;
    this.#reconnectedAtMs = nowMs;
    this.#commands.reconnect();
  }
}

function isUnknownCommand(result: Drawn | Error | undefined): boolean {
  return result instanceof Error && /unknown command/i.test(result.message);
}

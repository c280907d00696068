import type { Clock, QuotaError, TimerHandle, Timers } from '@weir/quota';
import type { ServerAddress } from './addresses.ts';
import { pauseMs } from './backoff.ts';
import { reasonOf, refusal, timedOut, unavailable } from './failures.ts';
import { isErrorLine, ProtocolError, ReplyReader, type Reply, type ReplyShape } from './replies.ts';
import type { OpenWire, Wire } from './sockets.ts';

/** Limits of one connection. */
export interface ConnectionLimits {
  /** Longest wait for an answer, connecting included, in ms. */
  readonly callTimeoutMs: number;
  /** Most requests that wait for their answer. */
  readonly maxInFlight: number;
}

/** What a connection needs of the world. */
export interface ConnectionWorld {
  readonly openWire: OpenWire;
  /** A clock that never goes back, in ms. */
  readonly now: Clock;
  readonly timers: Timers;
  readonly random: () => number;
  /** Runs something at the end of the current tick. */
  readonly defer: (run: () => void) => void;
}

/** What a connection reports about itself. */
export interface ConnectionEvent {
  readonly type: 'connected' | 'lost';
  readonly server: string;
  /** Why it was lost. */
  readonly reason?: string;
}

interface Exchange {
  readonly shape: ReplyShape;
  readonly prefix: string;
  readonly opaque: string;
  readonly dueMs: number;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: QuotaError) => void;
}

/** Opaque tokens: short, and more of them than could be confused after a slip of a few replies. */
const OPAQUES = Array.from({ length: 1_296 }, (_, index) => index.toString(36));

/** Answered requests are dropped from the front of the queue in blocks of this size. */
const QUEUE_SLACK = 1_024;

/**
 * One pipelined connection to one server.
 *
 *   idle ──call──▶ connecting ──opened──▶ open
 *    ▲  (not before   │                    │
 *    │   retryAtMs)   ▼                    ▼
 *    └──────────── lost: every waiting request fails, nothing is sent twice
 *
 * Replies come in the order of the requests; an opaque token is sent along and compared, so that a slip cannot go unnoticed.
 * Requests of one tick travel in one write. When a reply is overdue, malformed or of another request, the connection is given
 * up: a pipeline that may be out of step would hand one caller the answer of another. There is no timer while nothing waits;
 * after a failure the next call connects, unless the pause (with backoff) is not over, in which case it fails at once.
 */
export class Connection {
  readonly server: string;
  readonly #address: ServerAddress;
  readonly #limits: ConnectionLimits;
  readonly #world: ConnectionWorld;
  readonly #report: (event: ConnectionEvent) => void;
  readonly #reader = new ReplyReader();
  #state: 'idle' | 'connecting' | 'open' | 'closed' = 'idle';
  #wire: Wire | undefined;
  #queue: Exchange[] = [];
  #answered = 0;
  #outgoing = '';
  #flushPlanned = false;
  #timer: TimerHandle | undefined;
  #sequence = 0;
  #proved = false;
  #failures = 0;
  #retryAtMs = Number.NEGATIVE_INFINITY;
  #lastFailure = '';

  constructor(
    address: ServerAddress,
    limits: ConnectionLimits,
    world: ConnectionWorld,
    report: (event: ConnectionEvent) => void,
  ) {
    this.server = address.name;
    this.#address = address;
    this.#limits = limits;
    this.#world = world;
    this.#report = report;
  }

  /** Requests that wait for their answer. */
  get inFlight(): number {
    return this.#queue.length - this.#answered;
  }

  /**
   * Sends `<head> O<token><tail>` and resolves to the reply.
   * @throws {QuotaError} `store-unavailable`, `store-timeout`, or what an error line stands for.
   */
  meta(head: string, tail: string): Promise<Reply> {
    const opaque = OPAQUES[this.#sequence++ % OPAQUES.length] ?? '';
    return this.#call(`${head} O${opaque}${tail}\r\n`, 'meta', '', opaque);
  }

  /** Sends text that holds whole lines and resolves to the reply of this shape. Same errors as `meta`. */
  send(text: string, shape: ReplyShape, prefix = ''): Promise<Reply> {
    return this.#call(text, shape, prefix, '');
  }

  /** Fails what waits and refuses further calls. */
  close(): void {
    if (this.#state === 'closed') return;
    this.#tearDown(unavailable(this.server, 'was closed by this program'));
    this.#state = 'closed';
  }

  #call(text: string, shape: ReplyShape, prefix: string, opaque: string): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const refused = this.#admit();
      if (refused !== undefined) {
        reject(refused);
        return;
      }
      const dueMs = this.#world.now() + this.#limits.callTimeoutMs;
      this.#queue.push({ shape, prefix, opaque, dueMs, resolve, reject });
      this.#outgoing += text;
      this.#planFlush();
      this.#timer ??= this.#world.timers.set(this.#checkHead, this.#limits.callTimeoutMs);
    });
  }

  #admit(): QuotaError | undefined {
    if (this.#state === 'closed') return unavailable(this.server, 'was closed by this program');
    if (this.inFlight >= this.#limits.maxInFlight) {
      return unavailable(this.server, `has ${this.inFlight} requests waiting, as many as allowed`);
    }
    if (this.#state !== 'idle') return undefined;
    const waitMs = this.#retryAtMs - this.#world.now();
    if (waitMs > 0) return unavailable(this.server, `${this.#lastFailure}; next attempt in ${Math.ceil(waitMs)} ms`);
    this.#connect();
    return undefined;
  }

  #connect(): void {
    this.#state = 'connecting';
    this.#proved = false;
    let wire: Wire | undefined;
    // A socket that was given up may still report; it must not touch its successor.
    const current = (): boolean => wire === undefined || wire === this.#wire;
    wire = this.#world.openWire(this.#address, {
      opened: () => {
        if (!current()) return;
        this.#state = 'open';
        this.#report({ type: 'connected', server: this.server });
        this.#flush();
      },
      received: (bytes) => {
        if (current()) this.#receive(bytes);
      },
      lost: (cause) => {
        if (!current()) return;
        const what = this.#state === 'connecting' ? 'cannot be reached' : 'closed the connection';
        this.#giveUp(unavailable(this.server, cause === undefined ? what : `${what}: ${reasonOf(cause)}`, cause));
      },
    });
    this.#wire = wire;
  }

  #planFlush(): void {
    if (this.#flushPlanned || this.#state !== 'open') return;
    this.#flushPlanned = true;
    this.#world.defer(() => {
      this.#flushPlanned = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#state !== 'open' || this.#outgoing === '') return;
    const text = this.#outgoing;
    this.#outgoing = '';
    this.#wire?.write(text);
  }

  #receive(bytes: string): void {
    this.#reader.push(bytes);
    try {
      for (;;) {
        const exchange = this.#queue[this.#answered];
        if (exchange === undefined) {
          if (this.#reader.hasUnread) throw new ProtocolError(this.#unasked());
          return;
        }
        const reply = this.#reader.read(exchange.shape, exchange.prefix);
        if (reply === undefined) return;
        this.#settle(exchange, reply);
      }
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.#giveUp(unavailable(this.server, `answered out of step: ${error.message}`, error));
    }
  }

  /** memcached says why it hangs up on a connection too many, without having been asked. */
  #unasked(): string {
    return `nobody asked for ${JSON.stringify(this.#reader.read('line')?.line.slice(0, 80) ?? 'these bytes')}`;
  }

  #settle(exchange: Exchange, reply: Reply): void {
    const isError = isErrorLine(reply.line);
    if (!isError && !echoes(reply.line, exchange.opaque)) {
      throw new ProtocolError(`the token of another request in ${JSON.stringify(reply.line.slice(0, 80))}`);
    }
    this.#answered += 1;
    if (this.#answered === this.#queue.length) {
      this.#queue = [];
      this.#answered = 0;
    } else if (this.#answered >= QUEUE_SLACK && this.#answered * 2 > this.#queue.length) {
      this.#queue.splice(0, this.#answered);
      this.#answered = 0;
    }
    this.#proved = true;
    this.#failures = 0;
    if (!isError) {
      exchange.resolve(reply);
      return;
    }
    exchange.reject(refusal(this.server, reply.line));
    // After these the server may read a data block as a command and answer once more: the streams cannot be kept in step.
    if (/^CLIENT_ERROR (bad|line|too)/.test(reply.line)) {
      this.#giveUp(unavailable(this.server, `could not read a request: ${reply.line}`));
    }
  }

  readonly #checkHead = (): void => {
    this.#timer = undefined;
    const head = this.#queue[this.#answered];
    if (head === undefined) return;
    if (head.dueMs > this.#world.now()) {
      this.#watchHead();
      return;
    }
    // When this process was busy, timers run before what has arrived is read: look at that first.
    this.#world.defer(() => {
      if (this.#queue[this.#answered] !== head) this.#watchHead();
      else this.#giveUp(unavailable(this.server, 'did not answer an earlier request in time'), true);
    });
  };

  #watchHead(): void {
    const head = this.#queue[this.#answered];
    if (head === undefined) return;
    const leftMs = Math.max(1, Math.ceil(head.dueMs - this.#world.now()));
    this.#timer ??= this.#world.timers.set(this.#checkHead, leftMs);
  }

  /** The connection cannot be trusted any more, or is gone. Whether the waiting requests were executed, nobody knows. */
  #giveUp(failure: QuotaError, silent = false): void {
    // A server that closes an idle connection, or restarts after having answered, may be tried again at once.
    if (!this.#proved || silent) this.#failures += 1;
    const pause = this.#failures === 0 ? 0 : pauseMs(this.#failures, this.#world.random());
    this.#retryAtMs = this.#world.now() + pause;
    this.#lastFailure = failure.message.replace(`memcached ${this.server} `, '');
    this.#tearDown(failure);
    this.#state = 'idle';
    this.#report({ type: 'lost', server: this.server, reason: this.#lastFailure });
  }

  #tearDown(failure: QuotaError): void {
    const waiting = this.#queue.slice(this.#answered);
    this.#queue = [];
    this.#answered = 0;
    this.#outgoing = '';
    this.#reader.clear();
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#wire?.destroy();
    this.#wire = undefined;
    const nowMs = this.#world.now();
    for (const { dueMs, reject } of waiting) {
      reject(dueMs > nowMs ? failure : timedOut(this.server, this.#limits.callTimeoutMs));
    }
  }
}

/** Whether the reply carries this token, or none: some replies of some versions do not repeat it. */
function echoes(line: string, opaque: string): boolean {
  const at = line.indexOf(' O');
  if (at === -1 || opaque === '') return true;
  return (
    line.startsWith(opaque, at + 2) && (line.length === at + 2 + opaque.length || line[at + 2 + opaque.length] === ' ')
  );
}

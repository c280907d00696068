import type { LookupFunction } from 'node:net';
import { rootCertificates } from 'node:tls';
import { Pool } from 'undici';
import type { Dispatcher } from 'undici';
import { BodyStream, TruncatedBodyError } from './body-stream.ts';
import type { Cancellation } from './cancellation.ts';
import { ForbiddenAddressError, guardedLookup, isRefusedHost } from './guarded-lookup.ts';
import { ResponseHeaders } from './response-headers.ts';

/** One request, ready to go on the wire. */
export interface TransportRequest {
  /** `http://host:port` or `https://…`; one pool of connections each. */
  origin: string;
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Path and query, byte for byte as they are sent. */
  path: string;
  /** Names and values in turns. */
  headers: string[];
  body: Buffer | AsyncIterable<Uint8Array> | null;
  /** A successful answer's body of up to this many bytes is collected. */
  bufferUpToBytes: number;
  /** What becomes of a longer body, or one of unknown length: a stream (objects) or an error (everything else). */
  streamable: boolean;
  /** Turns an error while a body streams into the one that its reader sees. */
  toError: (error: unknown) => Error;
}

/** The answer. `stream` is null when the whole body is in `body`. */
export interface TransportResponse {
  status: number;
  headers: ResponseHeaders;
  body: Buffer;
  stream: BodyStream | null;
}

/** How requests reach a server; the tests have one without sockets. */
export interface Transport {
  /** Rejects when no answer came, or when it broke off before a collected body was complete. */
  send(request: TransportRequest, cancellation: Cancellation): Promise<TransportResponse>;
  close(): Promise<void>;
}

/** Time limits of one attempt, in ms. */
export interface Timeouts {
  /** TCP and TLS handshake. Default 10,000. */
  connectMs: number;
  /** From the last byte of the request that went out to the answer's headers. Default 60,000: completing a large upload takes time. */
  responseMs: number;
  /** Longest silence within a body. Default 30,000. */
  stallMs: number;
}

export const DEFAULT_TIMEOUTS: Timeouts = { connectMs: 10_000, responseMs: 60_000, stallMs: 30_000 };

/** What TLS and name resolution of an endpoint may need. */
export interface ConnectOptions {
  /** Certificates to trust besides those of Node, in PEM. */
  ca?: string;
  /** false accepts any certificate: for test set-ups only. */
  rejectUnauthorized?: boolean;
  /** Replaces the system's name resolution, as in `net.connect`. */
  lookup?: LookupFunction;
  /**
   * Addresses that are never connected to, whatever name leads there; default: none. Asked for each connection: what a name
   * pointed to before says nothing about now.
   */
  refuses?: (address: string) => boolean;
}

/** Largest error document that is read, in bytes. */
const MAX_ERROR_BODY_BYTES = 64 * 1024;
/** Idle connections are kept for this long. Longer than undici's 4 s: agents pause between windows and then return at once. */
const KEEP_ALIVE_MS = 20_000;

/**
 * HTTP over pools of kept-alive connections. The number of connections has no bound of its own: a copy holds one to
 * the source while it waits for one to the target, so a bound below twice the copies in flight could stop them all.
 */
export class HttpTransport implements Transport {
  readonly #pools = new Map<string, Pool>();
  readonly #timeouts: Timeouts;
  readonly #connect: ConnectOptions;

  constructor(timeouts: Timeouts, connect: ConnectOptions = {}) {
    this.#timeouts = timeouts;
    this.#connect = connect;
  }

  send(request: TransportRequest, cancellation: Cancellation): Promise<TransportResponse> {
    return new Promise((resolve, reject) => {
      const { refuses } = this.#connect;
      // An address in place of a name is never looked up.
      if (refuses !== undefined && isRefusedHost(request.origin, refuses)) throw new ForbiddenAddressError();
      const exchange = new Exchange(request, cancellation, resolve, reject);
      this.#pool(request.origin).dispatch(
        {
          path: request.path,
          method: request.method,
          headers: request.headers,
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- any async iterable is accepted; the types name only Readable
          body: request.body as Buffer | null,
          // undici would close the connection after each HEAD.
          reset: false,
        },
        exchange,
      );
    });
  }

  async close(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  #pool(origin: string): Pool {
    let pool = this.#pools.get(origin);
    if (pool === undefined) {
      pool = new Pool(origin, {
        headersTimeout: this.#timeouts.responseMs,
        bodyTimeout: this.#timeouts.stallMs,
        keepAliveTimeout: KEEP_ALIVE_MS,
        connect: { timeout: this.#timeouts.connectMs, ...socketOptions(this.#connect) },
      });
      this.#pools.set(origin, pool);
    }
    return pool;
  }
}

function socketOptions({ ca, refuses, lookup, ...options }: ConnectOptions): object {
  return {
    ...options,
    // Node takes a list of certificates instead of its own ones; here they come on top.
    ...(ca !== undefined && { ca: [...rootCertificates, ca] }),
    ...(lookup !== undefined && { lookup }),
    ...(refuses !== undefined && { lookup: guardedLookup(refuses, lookup) }),
  };
}

/** One request and its answer: waiting → headers → collecting or streaming → settled. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: TransportRequest;
  readonly #resolve: (response: TransportResponse) => void;
  readonly #reject: (error: Error) => void;
  readonly #forget: () => void;
  #controller: Dispatcher.DispatchController | null = null;
  #cancelled: Error | null = null;
  #status = 0;
  #headers: ResponseHeaders | null = null;
  #expectedBytes: number | null = null;
  #chunks: Buffer[] = [];
  #collectedBytes = 0;
  #stream: BodyStream | null = null;

  constructor(
    request: TransportRequest,
    cancellation: Cancellation,
    resolve: (response: TransportResponse) => void,
    reject: (error: Error) => void,
  ) {
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#forget = cancellation.onCancel((reason) => {
      this.#cancelled = reason;
      if (this.#controller !== null) this.#controller.abort(reason);
      // Still waiting for a connection: there is nothing to abort yet, and nobody should wait for it.
      else reject(reason);
    });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#cancelled !== null) controller.abort(this.#cancelled);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    if (status < 200) return;
    const raw = controller.rawHeaders;
    this.#status = status;
    this.#headers = new ResponseHeaders(Array.isArray(raw) ? raw : []);
    const hasBody = this.#request.method !== 'HEAD' && status !== 204 && status !== 304;
    this.#expectedBytes = hasBody ? this.#headers.integer('content-length') : 0;
    if (status >= 300 || !hasBody || !this.#request.streamable) return;
    if (this.#expectedBytes !== null && this.#expectedBytes <= this.#request.bufferUpToBytes) return;
    this.#stream = new BodyStream(controller, this.#expectedBytes, this.#request.toError);
    this.#resolve({ status, headers: this.#headers, body: EMPTY, stream: this.#stream });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#stream !== null) {
      this.#stream.push(chunk);
      return;
    }
    this.#collectedBytes += chunk.length;
    const limit = this.#status < 300 ? this.#request.bufferUpToBytes : MAX_ERROR_BODY_BYTES;
    if (this.#collectedBytes <= limit) this.#chunks.push(chunk);
    else if (this.#status < 300) controller.abort(new Error(`the answer is longer than ${limit} bytes`));
  }

  onResponseEnd(): void {
    this.#forget();
    if (this.#stream !== null) {
      this.#stream.end();
      return;
    }
    const complete = this.#expectedBytes === null || this.#expectedBytes === this.#collectedBytes;
    if (this.#headers === null || !complete) {
      this.#reject(new TruncatedBodyError(this.#collectedBytes, this.#expectedBytes));
      return;
    }
    const [first = EMPTY] = this.#chunks;
    const body = this.#chunks.length < 2 ? first : Buffer.concat(this.#chunks);
    this.#resolve({ status: this.#status, headers: this.#headers, body, stream: null });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#forget();
    const reason = this.#cancelled ?? (this.#headers === null || keepsItsName(error) ? error : null);
    if (this.#stream !== null) this.#stream.fail(reason ?? this.#stream.truncation());
    else this.#reject(reason ?? new TruncatedBodyError(this.#collectedBytes, this.#expectedBytes));
  }
}

const EMPTY = Buffer.alloc(0);

/** After the headers, a lost connection means a truncated body; a silence and an answer that is too long stay what they are. */
function keepsItsName(error: Error): boolean {
  return !('code' in error) || error.code === 'UND_ERR_BODY_TIMEOUT';
}

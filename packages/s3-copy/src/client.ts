import { Cancellation, CancelledError } from './cancellation.ts';
import { systemClock } from './clock.ts';
import type { Clock } from './clock.ts';
import { errorFromAnswer, errorFromNetwork, skewOf } from './answers.ts';
import { parseEndpoint, urlParts } from './endpoint.ts';
import type { Endpoint } from './endpoint.ts';
import type { S3Error } from './errors.ts';
import { admit, emptyTally, openGate } from './gate.ts';
import type { CallContext, OperationGate } from './gate.ts';
import type { RequestBody, S3Request } from './request.ts';
import { DEFAULT_RETRY, withRetries } from './retry.ts';
import type { RetryPolicy } from './retry.ts';
import { EMPTY_PAYLOAD_SHA256, Signer, UNSIGNED_PAYLOAD, amzDate, sha256Hex } from './sigv4.ts';
import type { Credentials } from './sigv4.ts';
import { DEFAULT_TIMEOUTS, HttpTransport } from './transport.ts';
import type { ConnectOptions, Timeouts, Transport, TransportRequest, TransportResponse } from './transport.ts';

/** Where a client talks to, as whom, and how patiently. */
export interface S3ClientOptions {
  /** `http://host:port` or `https://host`; a path before the bucket is kept. */
  url: string;
  /** Region in the signature. */
  region: string;
  /** `http://host/bucket` (true, default) or `http://bucket.host` (false). */
  pathStyle?: boolean;
  credentials: Credentials;
  retry?: Partial<RetryPolicy>;
  timeouts?: Partial<Timeouts>;
  connect?: ConnectOptions;
  clock?: Clock;
  /** Replaces the network; for tests. */
  transport?: Transport;
}

/** Largest XML answer that is read, in bytes: 1,000 keys of 1,024 encoded bytes with all their fields fit many times. */
const MAX_XML_BYTES = 32 * 1024 * 1024;

/** An S3 client with a signature and a pool of connections of its own. Close it when done. */
export class S3Client {
  readonly endpoint: Endpoint;
  readonly clock: Clock;
  readonly retry: RetryPolicy;
  readonly #credentials: Credentials;
  readonly #signer: Signer;
  readonly #transport: Transport;
  /** Server's clock minus ours, in ms, once a server refused a signature for its date. */
  #skewMs = 0;

  constructor(options: S3ClientOptions) {
    this.endpoint = parseEndpoint(options.url, options.region, options.pathStyle ?? true);
    this.clock = options.clock ?? systemClock;
    this.retry = { ...DEFAULT_RETRY, ...options.retry };
    this.#credentials = options.credentials;
    this.#signer = new Signer(options.credentials, options.region);
    this.#transport =
      options.transport ?? new HttpTransport({ ...DEFAULT_TIMEOUTS, ...options.timeouts }, options.connect);
  }

  /** Sends until it succeeds or retries are used up. A request with a stream as body cannot be repeated: use `attempt`. */
  async send(request: S3Request, call: CallContext, options?: { admitted: boolean }): Promise<TransportResponse> {
    return withRetries(this.retry, this.clock, call, (attempt) =>
      this.attempt(request, call, attempt, { admitted: options?.admitted === true && attempt === 0 }),
    );
  }

  /**
   * Sends once: waits at the gate (unless `admitted`: the caller already did), then signs, then sends.
   * @throws S3Error for every answer that is not a success, and for every failure of the network.
   */
  async attempt(
    request: S3Request,
    call: CallContext,
    attempt: number,
    options?: { admitted: boolean },
  ): Promise<TransportResponse> {
    if (options?.admitted === true) {
      call.cancellation.throwIfCancelled();
    } else {
      const parked = admit(call, request.operation, attempt);
      if (parked !== undefined) await parked;
    }
    const signedAtMs = this.clock.now() + this.#skewMs;
    const { pace } = call;
    const sentAtMs = pace === undefined ? 0 : performance.now();
    let response: TransportResponse;
    try {
      response = await this.#transport.send(this.#sign(request, signedAtMs), call.cancellation);
    } catch (error) {
      if (error instanceof CancelledError || error === call.cancellation.reason) throw error;
      throw errorFromNetwork(request, error);
    }
    const failure = errorFromAnswer(request, response);
    if (failure === null) {
      if (request.body?.type !== 'stream') pace?.answered(request.operation, performance.now() - sentAtMs);
      return response;
    }
    if (failure.throttle) pace?.throttled();
    response.stream?.destroy(failure);
    throw this.#correctSkew(failure, response, signedAtMs);
  }

  /** Whether another client speaks with the same server as the same user, so that the server itself can copy. */
  reachesTheSame(other: S3Client): boolean {
    if (other === this) return true;
    const [mine, others] = [this.endpoint, other.endpoint];
    const [me, them] = [this.#credentials, other.#credentials];
    return (
      mine.protocol === others.protocol &&
      mine.host === others.host &&
      mine.basePath === others.basePath &&
      me.accessKeyId === them.accessKeyId &&
      me.secretAccessKey === them.secretAccessKey &&
      me.sessionToken === them.sessionToken
    );
  }

  /** Ends all connections; requests under way fail. */
  async close(): Promise<void> {
    await this.#transport.close();
  }

  /** A request refused for its date is repeated with the server's clock. */
  #correctSkew(failure: S3Error, response: TransportResponse, signedAtMs: number): S3Error {
    const skewMs = skewOf(failure, response, signedAtMs, this.clock.now());
    if (skewMs === null) return failure;
    this.#skewMs = skewMs;
    return failure.asRetryable();
  }

  #sign(request: S3Request, timeMs: number): TransportRequest {
    const { origin, host, path, query } = urlParts(this.endpoint, request);
    const date = amzDate(timeMs);
    const payloadHash = this.#payloadHash(request.body);
    const signed: (readonly [string, string])[] = [
      ['host', host],
      ['x-amz-content-sha256', payloadHash],
      ['x-amz-date', date],
    ];
    if (this.#credentials.sessionToken !== undefined) {
      signed.push(['x-amz-security-token', this.#credentials.sessionToken]);
    }
    const unsigned: (readonly [string, string])[] = [];
    for (const header of request.headers ?? []) (isSigned(header[0]) ? signed : unsigned).push(header);
    const { method } = request;
    const authorization = this.#signer.authorization({ method, path, query, headers: signed, payloadHash }, date);
    const headers = ['authorization', authorization];
    for (const [name, value] of signed) headers.push(name, value);
    for (const [name, value] of unsigned) headers.push(name, value);
    const { body } = request;
    if (body?.type === 'stream') headers.push('content-length', String(body.bytes));
    return {
      origin,
      method,
      path: query === '' ? path : `${path}?${query}`,
      headers,
      body: body === undefined ? null : body.type === 'bytes' ? body.bytes : body.chunks,
      bufferUpToBytes: request.bufferUpToBytes ?? MAX_XML_BYTES,
      streamable: request.operation === 'GetObject',
      toError: (error) => (error instanceof CancelledError ? error : errorFromNetwork(request, error)),
    };
  }

  /**
   * Without TLS a body in memory is signed, which protects it on the way; with TLS that is done already, and a stream
   * cannot be signed before it has been read. All servers that we know take UNSIGNED-PAYLOAD on both.
   */
  #payloadHash(body: RequestBody | undefined): string {
    if (body === undefined) return EMPTY_PAYLOAD_SHA256;
    if (body.type === 'stream' || this.endpoint.tls) return UNSIGNED_PAYLOAD;
    return sha256Hex(body.bytes);
  }
}

function isSigned(name: string): boolean {
  return name.startsWith('x-amz-') || name === 'content-type' || name === 'content-md5';
}

/** A context for calls outside a run: no limits, nothing to stop them but `signal`. */
export function callContext(options: { gate?: OperationGate; signal?: AbortSignal } = {}): CallContext {
  return {
    gate: options.gate ?? openGate,
    cancellation: options.signal === undefined ? new Cancellation() : Cancellation.from(options.signal),
    tally: emptyTally(),
    traffic: { bytesRead: 0, bytesWritten: 0 },
  };
}

/** How the source of a body is slowed down and ended. */
export interface BodySource {
  pause(): void;
  resume(): void;
  abort(reason: Error): void;
}

/** Bytes that may wait in memory for the reader before the socket is paused. */
const HIGH_WATER_BYTES = 256 * 1024;

interface Waiting {
  resolve(result: IteratorResult<Buffer>): void;
  reject(error: Error): void;
}

/**
 * The body of a response as an async iterable that is read once. The socket is paused while the reader is behind.
 * It ends well only when exactly `expectedBytes` came: a connection that closes early is an error, not an end.
 */
export class BodyStream implements AsyncIterable<Buffer>, AsyncIterator<Buffer, undefined> {
  readonly expectedBytes: number | null;
  readonly #source: BodySource;
  readonly #toError: (error: unknown) => Error;
  #queue: Buffer[] = [];
  #queuedBytes = 0;
  #receivedBytes = 0;
  #paused = false;
  #state: 'open' | 'ended' | 'failed' = 'open';
  #error: Error | null = null;
  #waiting: Waiting | null = null;

  constructor(source: BodySource, expectedBytes: number | null, toError: (error: unknown) => Error) {
    this.#source = source;
    this.expectedBytes = expectedBytes;
    this.#toError = toError;
  }

  push(chunk: Buffer): void {
    if (this.#state !== 'open') return;
    this.#receivedBytes += chunk.length;
    if (this.#waiting !== null) {
      const waiting = this.#waiting;
      this.#waiting = null;
      waiting.resolve({ done: false, value: chunk });
      return;
    }
    this.#queue.push(chunk);
    this.#queuedBytes += chunk.length;
    if (this.#queuedBytes >= HIGH_WATER_BYTES && !this.#paused) {
      this.#paused = true;
      this.#source.pause();
    }
  }

  end(): void {
    if (this.#state !== 'open') return;
    if (this.expectedBytes !== null && this.#receivedBytes !== this.expectedBytes) {
      this.fail(this.truncation());
      return;
    }
    this.#state = 'ended';
    this.#waiting?.resolve({ done: true, value: undefined });
    this.#waiting = null;
  }

  fail(error: unknown): void {
    if (this.#state === 'failed') return;
    this.#state = 'failed';
    this.#error = this.#toError(error);
    this.#waiting?.reject(this.#error);
    this.#waiting = null;
  }

  /** Why the stream failed; null while it has not. */
  get failure(): Error | null {
    return this.#error;
  }

  /** The error that says how much of the body came. */
  truncation(): TruncatedBodyError {
    return new TruncatedBodyError(this.#receivedBytes, this.expectedBytes);
  }

  /** Ends the exchange when the rest of the body is not wanted; readers fail with `reason`. */
  destroy(reason: Error): void {
    if (this.#state !== 'open') return;
    this.fail(reason);
    this.#queue = [];
    this.#source.abort(reason);
  }

  next(): Promise<IteratorResult<Buffer, undefined>> {
    const chunk = this.#queue.shift();
    if (chunk !== undefined) {
      this.#queuedBytes -= chunk.length;
      if (this.#paused && this.#queuedBytes < HIGH_WATER_BYTES / 2) {
        this.#paused = false;
        this.#source.resume();
      }
      return Promise.resolve({ done: false, value: chunk });
    }
    if (this.#error !== null) return Promise.reject(this.#error);
    if (this.#state === 'ended') return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve, reject) => {
      // The reader of an S3 body is a `for await`: it never asks twice at once.
      this.#waiting = { resolve: resolve as Waiting['resolve'], reject };
    });
  }

  return(): Promise<IteratorResult<Buffer, undefined>> {
    this.destroy(new Error('the reader of the body stopped'));
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

/** The connection ended before the whole body had come. */
export class TruncatedBodyError extends Error {
  override readonly name = 'TruncatedBodyError';
  readonly code = 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';

  constructor(receivedBytes: number, expectedBytes: number | null) {
    super(`the body ended after ${receivedBytes}${expectedBytes === null ? '' : ` of ${expectedBytes}`} bytes`);
  }
}

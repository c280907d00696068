import type { ShardTrouble } from '@weir/protocol';
import { S3Client, S3Error, type S3ClientOptions } from '@weir/s3-copy';

/** Failures that go on for so long are no hiccup that a retry absorbs, in ms. */
const TROUBLE_AFTER_MS = 3_000;

/**
 * Whether a server answers, from the requests of all shards that use it. Requests are repeated within a copy for a minute
 * and more before it gives up; until then nothing but this shows that a server is away.
 */
export class EndpointWatch {
  readonly #now: () => number;
  #failing: { sinceMs: number; error: S3Error } | null = null;

  /** @param now monotonic clock, in ms */
  constructor(now: () => number) {
    this.#now = now;
  }

  answered(): void {
    this.#failing = null;
  }

  /** A request failed. A refusal, or a wish for fewer requests, is an answer. */
  failed(error: S3Error): void {
    if (!error.retryable || error.throttle) this.answered();
    else this.#failing = { sinceMs: this.#failing?.sinceMs ?? this.#now(), error };
  }

  /** Why nothing is answered, once that has gone on for 3 s; null before, and while something is. */
  trouble(): ShardTrouble | null {
    if (this.#failing === null) return null;
    const { sinceMs, error } = this.#failing;
    const forMs = Math.round(this.#now() - sinceMs);
    if (forMs < TROUBLE_AFTER_MS) return null;
    return { code: error.code.slice(0, 64), message: error.message.slice(0, 1_000), forMs, retryInMs: null };
  }
}

/** A client whose watch sees what becomes of each request. */
export class WatchedClient extends S3Client {
  readonly #watch: EndpointWatch;

  constructor(options: S3ClientOptions, watch: EndpointWatch) {
    super(options);
    this.#watch = watch;
  }

  override async attempt(...request: Parameters<S3Client['attempt']>): ReturnType<S3Client['attempt']> {
    try {
      const response = await super.attempt(...request);
      this.#watch.answered();
      return response;
    } catch (error) {
      if (error instanceof S3Error) this.#watch.failed(error);
      throw error;
    }
  }
}

import type { S3Error } from './errors.ts';

/**
 * What an object's failure means for the whole range.
 * `object`: this one only · `throttle`: everything pauses · `stop`: nothing else can succeed either ·
 * `transport`, `access`: perhaps this one only, perhaps all: the next ones decide.
 */
export type FaultClass = 'object' | 'throttle' | 'stop' | 'transport' | 'access';

/** Bucket gone, credentials wrong or expired, target full: true for every object that follows. */
const STOP_CODES = new Set([
  'NoSuchBucket',
  'InvalidBucketName',
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'ExpiredToken',
  'InvalidToken',
  'TokenRefreshRequired',
  'AccountProblem',
  'AllAccessDisabled',
  'NotSignedUp',
  'UserSuspended',
  'RequestTimeTooSkewed',
  'AuthorizationHeaderMalformed',
  'PermanentRedirect',
  'TemporaryRedirect',
  'QuotaExceeded',
  'InsufficientStorage',
  'XMinioStorageFull',
  'tls-failed',
  'not-http',
  'not-s3',
]);

/** Refusals with status 403 that are about one object: it lies in an archive and must be brought back first. */
const OBJECT_CODES = new Set(['InvalidObjectState']);

/** Classifies a failure that retries could not absorb. */
export function classifyFault(error: S3Error): FaultClass {
  if (STOP_CODES.has(error.code) || error.status === 507) return 'stop';
  if (error.throttle) return 'throttle';
  if (OBJECT_CODES.has(error.code)) return 'object';
  if (error.status === 401 || error.status === 403) return 'access';
  // A transfer that was damaged says nothing about the next one; silence, refusals and server errors do.
  if (error.retryable && error.code !== 'checksum-mismatch') return 'transport';
  return 'object';
}

/**
 * Tells a bad object from a bad endpoint. Failures that may be either are held back; when as many as `limit` of them
 * came in a row without a single success, the range should stop and none of them counts. A success in between shows
 * that the endpoints answer, and they are released to be judged one by one.
 */
export class SuspicionLedger<T> {
  readonly #limit: number;
  #held: T[] = [];

  constructor(limit: number) {
    this.#limit = Math.max(1, limit);
  }

  /** Whether something of a kind is held back. */
  some(isOfKind: (failure: T) => boolean): boolean {
    return this.#held.some((failure) => isOfKind(failure));
  }

  /** Holds a failure back. True when there are too many by now: stop. */
  suspect(failure: T): boolean {
    this.#held.push(failure);
    return this.#held.length >= this.#limit;
  }

  /** What was held back, to be judged anew. */
  release(): T[] {
    if (this.#held.length === 0) return [];
    return this.#held.splice(0);
  }
}

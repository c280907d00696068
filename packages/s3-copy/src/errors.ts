import type { S3Operation } from './gate.ts';
import type { OwnCode } from './own-codes.ts';

/** What an error means for the object, the range and the retry; decided by `code` and `status` alone. */
export interface S3ErrorFacts {
  /** The server's code (`NoSuchKey`) or, in lower case with dashes, one of ours (`truncated-body`). At most 64 characters. */
  code: string;
  message: string;
  /** HTTP status; 0 when there was no response. */
  status: number;
  operation: S3Operation;
  bucket: string | null;
  key: string | null;
  requestId: string | null;
  cause?: unknown;
  retryAfterMs?: number;
  /** Overrules what the code says about another attempt. */
  retryable?: boolean;
}

/** A failed S3 operation with all that support needs: operation, bucket, key and request id are in the message too. */
export class S3Error extends Error {
  override readonly name = 'S3Error';
  readonly code: string;
  readonly status: number;
  readonly operation: S3Operation;
  readonly bucket: string | null;
  readonly key: string | null;
  readonly requestId: string | null;
  /** Worth another attempt: a network error, a server error, a throttle, or a damaged transfer. */
  readonly retryable: boolean;
  /** The server asks for less: 503 SlowDown, 429, RequestLimitExceeded and their like. */
  readonly throttle: boolean;
  /** What the server said, without the places. */
  readonly reason: string;
  /** Shortest wait that the server asked for, in ms; 0 for none. */
  readonly retryAfterMs: number;
  readonly #facts: S3ErrorFacts;

  constructor(facts: S3ErrorFacts) {
    const where = facts.bucket === null ? '' : ` ${facts.bucket}${facts.key === null ? '' : `/${facts.key}`}`;
    const id = facts.requestId === null ? '' : ` [request ${facts.requestId}]`;
    super(`${facts.operation}${where}: ${facts.code}: ${facts.message}${id}`, { cause: facts.cause });
    this.code = facts.code.slice(0, 64);
    this.status = facts.status;
    this.operation = facts.operation;
    this.bucket = facts.bucket;
    this.key = facts.key;
    this.requestId = facts.requestId;
    this.reason = facts.message;
    this.retryAfterMs = facts.retryAfterMs ?? 0;
    this.#facts = facts;
    this.throttle = isThrottle(facts.code, facts.status);
    this.retryable = facts.retryable ?? (this.throttle || isRetryable(facts.code, facts.status));
  }

  /** The same error after its cause was corrected, so that another attempt makes sense. */
  asRetryable(): S3Error {
    return new S3Error({ ...this.#facts, retryable: true });
  }
}

const THROTTLES = new Set([
  'SlowDown',
  'SlowDownRead',
  'SlowDownWrite',
  'ServiceUnavailable',
  'Throttling',
  'ThrottlingException',
  'RequestThrottled',
  'RequestLimitExceeded',
  'TooManyRequests',
  'BandwidthLimitExceeded',
]);

function isThrottle(code: string, status: number): boolean {
  return status === 503 || status === 429 || THROTTLES.has(code);
}

const RETRYABLE: ReadonlySet<string> = new Set<OwnCode | 'InternalError' | 'RequestTimeout' | 'OperationAborted'>([
  'InternalError',
  'RequestTimeout',
  'OperationAborted',
  'connection-refused',
  'connection-lost',
  'connect-timeout',
  'response-timeout',
  'body-stalled',
  'truncated-body',
  'host-not-found',
  'host-unreachable',
  'network-error',
  'checksum-mismatch',
  'incomplete-response',
]);

function isRetryable(code: string, status: number): boolean {
  return RETRYABLE.has(code) || status === 500 || status === 502 || status === 504 || status === 408;
}

const TLS_CODE = /^(CERT_|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|EPROTO|HOSTNAME_MISMATCH)/;
const NETWORK_CODES: Record<string, OwnCode> = {
  ECONNREFUSED: 'connection-refused',
  ECONNRESET: 'connection-lost',
  EPIPE: 'connection-lost',
  UND_ERR_SOCKET: 'connection-lost',
  UND_ERR_CONNECT_TIMEOUT: 'connect-timeout',
  ETIMEDOUT: 'connect-timeout',
  UND_ERR_HEADERS_TIMEOUT: 'response-timeout',
  UND_ERR_BODY_TIMEOUT: 'body-stalled',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'truncated-body',
  ENOTFOUND: 'host-not-found',
  EAI_AGAIN: 'host-not-found',
  EHOSTUNREACH: 'host-unreachable',
  ENETUNREACH: 'host-unreachable',
  EADDRNOTAVAIL: 'host-unreachable',
  EFORBIDDENADDRESS: 'forbidden-address',
};

/** Our code for an error of the network layer. */
export function networkCode(error: unknown): OwnCode {
  const code = codeOf(error);
  if (code === null) return 'network-error';
  if (TLS_CODE.test(code)) return 'tls-failed';
  if (code.startsWith('HPE_')) return 'not-http';
  return NETWORK_CODES[code] ?? 'network-error';
}

function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ('code' in error && typeof error.code === 'string') return error.code;
  // An attempt on several addresses fails with one error for each.
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return error.cause === undefined ? null : codeOf(error.cause);
}

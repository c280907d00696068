import { ERROR_CODES, errorBody, type EarlierChange, type ErrorCode, type FieldProblem } from '@weir/protocol';

/** The console answered "no": what it refused and why, as declared in `@weir/protocol`. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  /** HTTP status, 400–599. */
  readonly status: number;
  /** What is wrong with which field; empty unless the input was refused. */
  readonly fields: readonly FieldProblem[];
  /** How long the console asks to wait before the next try, in ms; null when it does not say. */
  readonly retryAfterMs: number | null;
  /** Of `changed-meanwhile`: who changed it first, and when; null otherwise. */
  readonly changed: EarlierChange | null;

  constructor(refusal: {
    code: ErrorCode;
    status: number;
    message: string;
    fields?: readonly FieldProblem[];
    retryAfterMs?: number | null;
    changed?: EarlierChange | null;
  }) {
    super(refusal.message);
    this.code = refusal.code;
    this.status = refusal.status;
    this.fields = refusal.fields ?? [];
    this.retryAfterMs = refusal.retryAfterMs ?? null;
    this.changed = refusal.changed ?? null;
  }
}

/**
 * - `unreachable`: no connection, or it broke before the answer was complete
 * - `timeout`: no complete answer in time
 * - `redirected`: the address belongs to something that points elsewhere (often http for https)
 * - `bad-answer`: something answered that does not speak this protocol (a proxy's error page, another program)
 */
export type NetworkErrorReason = 'unreachable' | 'timeout' | 'redirected' | 'bad-answer';

/** There is no usable answer. Whether the console acted on the request is unknown. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
  readonly reason: NetworkErrorReason;
  /** HTTP status of a `redirected` or `bad-answer`; null when there was no answer. */
  readonly status: number | null;

  constructor(reason: NetworkErrorReason, message: string, details: { status?: number; cause?: unknown } = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.reason = reason;
    this.status = details.status ?? null;
  }
}

/** What an answer with status ≥ 400 means; null when it is not an error of this protocol. */
export function parseRefusal(status: number, body: unknown, retryAfter: string | null): ApiError | null {
  const retryAfterMs = secondsToMs(retryAfter);
  const known = errorBody.safeParse(body);
  if (known.success) {
    const { code, message, fields, changed } = known.data.error;
    return new ApiError({
      code,
      status,
      message,
      ...(fields === undefined ? {} : { fields }),
      changed: changed ?? null,
      retryAfterMs: known.data.error.retryAfterMs ?? retryAfterMs,
    });
  }
  // A newer console may know codes that this client does not: the status still says what kind of "no" it is.
  const message = messageOfUnknownCode(body);
  return message === null ? null : new ApiError({ code: codeForStatus(status), status, message, retryAfterMs });
}

function messageOfUnknownCode(body: unknown): string | null {
  const error = member(body, 'error');
  const code = member(error, 'code');
  const message = member(error, 'message');
  if (typeof code !== 'string' || typeof message !== 'string') return null;
  return ERROR_CODES.some((known) => known === code) ? message : `${message} (${code})`;
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function codeForStatus(status: number): ErrorCode {
  switch (status) {
    case 401:
      return 'unauthenticated';
    case 403:
      return 'forbidden';
    case 404:
      return 'not-found';
    case 413:
      return 'payload-too-large';
    case 429:
      return 'too-many-requests';
    case 503:
      return 'unavailable';
    default:
      return status >= 500 ? 'internal' : 'bad-request';
  }
}

/** Only the form in seconds: the console never sends dates, and a date needs clocks that agree. */
function secondsToMs(retryAfter: string | null): number | null {
  return retryAfter !== null && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) * 1_000 : null;
}

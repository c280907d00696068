import type { Socket } from 'node:net';
import type { ErrorBody, ErrorCode } from '@weir/protocol';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ConsoleError, isConsoleError } from '../actions/console-error.ts';
import { LedgerUnavailable } from '../ports/credit-ledger.ts';
import { LeadershipLost } from '../ports/leadership-lost.ts';
import { StorageUnavailable } from '../ports/storage-unavailable.ts';

const STATUS: Record<ErrorCode, number> = {
  'bad-request': 400,
  'validation-failed': 400,
  unauthenticated: 401,
  'wrong-credentials': 401,
  'agent-revoked': 401,
  'wrong-enrolment-token': 401,
  forbidden: 403,
  'cross-site-request': 403,
  'not-found': 404,
  'name-taken': 409,
  'too-many-agents': 409,
  'in-use': 409,
  'last-admin': 409,
  'wrong-state': 409,
  'changed-meanwhile': 409,
  'lease-lost': 409,
  'endpoint-unreachable': 422,
  'endpoint-refused-credentials': 422,
  'endpoint-forbidden-address': 422,
  'bucket-not-found': 422,
  'store-unreachable': 422,
  'protocol-too-old': 426,
  'protocol-too-new': 409,
  'payload-too-large': 413,
  'too-many-requests': 429,
  'storage-unavailable': 503,
  'no-leader': 503,
  'leader-timeout': 504,
  'ledger-unavailable': 503,
  unavailable: 503,
  internal: 500,
};

/** HTTP status of a refusal. */
export function statusOf(code: ErrorCode): number {
  return STATUS[code];
}

/** The refusal of a group of which nobody answers now. */
export function noLeader(message: string, cause?: unknown): ConsoleError {
  return new ConsoleError('no-leader', message, { retryAfterMs: 1_000, cause });
}

/** What a console says that lost the lead while it worked out an answer: another one may know better by now. */
export function staleAnswer(): ConsoleError {
  return noLeader('The leader changed while it answered: try again.');
}

/** The refusal of what the leader did not answer in time: unlike the others, it may have been carried out. */
export function leaderTimeout(message: string): ConsoleError {
  return new ConsoleError('leader-timeout', message);
}

export function tooLarge(): ConsoleError {
  return new ConsoleError('payload-too-large', 'The request is larger than the console reads.');
}

/** Answers every error in the one form of the wire. What was not foreseen is logged, and the client learns no detail. */
export function replyWithErrors(app: FastifyInstance): void {
  app.setErrorHandler(answerError);
}

/** Answers one error. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const refusal = refusalOf(error);
  if (refusal.code === 'internal' || isUnwritable(error))
    request.log.error({ err: error, route: request.routeOptions.url }, 'request failed');
  return sendRefusal(reply, refusal, isConsoleError(error) ? undefined : statusCodeOf(error));
}

/**
 * What a client that does not speak HTTP, or is too slow, is told before its connection is closed. Closed on both sides:
 * one that never hangs up by itself would keep it for ever.
 */
export function answerClientError(_error: Error, socket: Socket): void {
  const body: ErrorBody = { error: { code: 'bad-request', message: 'The request is not valid HTTP.' } };
  const text = JSON.stringify(body);
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\nConnection: close\r\n\r\n${text}`,
  );
  socket.destroySoon();
}

/** Sends a refusal; `status` when the protocol layer has a more exact one than the code. */
export function sendRefusal(reply: FastifyReply, refusal: ConsoleError, status?: number): FastifyReply {
  const { code, message, fields, retryAfterMs, changed } = refusal;
  const body: ErrorBody = {
    error: {
      code,
      message,
      ...(fields === undefined ? {} : { fields }),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs: Math.ceil(retryAfterMs) }),
      ...(changed === undefined ? {} : { changed }),
    },
  };
  if (retryAfterMs !== undefined) void reply.header('retry-after', Math.ceil(retryAfterMs / 1_000));
  if (statusOf(code) === 401) void reply.header('www-authenticate', 'Bearer realm="Weir"');
  return reply
    .code(code === 'bad-request' ? (status ?? statusOf(code)) : statusOf(code))
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(body);
}

function statusCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('statusCode' in error)) return undefined;
  return typeof error.statusCode === 'number' ? error.statusCode : undefined;
}

/** A full, failing or read-only disk, as SQLite names it: it may be mended while the console runs. */
function isUnwritable(error: unknown): error is Error & { code: string } {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false;
  return /^SQLITE_(FULL|IOERR|READONLY)/.test(error.code);
}

function refusalOf(error: unknown): ConsoleError {
  if (isConsoleError(error)) return error;
  if (error instanceof StorageUnavailable) {
    return new ConsoleError('storage-unavailable', error.message, { cause: error, retryAfterMs: 1_000 });
  }
  if (error instanceof LedgerUnavailable) {
    return new ConsoleError('ledger-unavailable', error.message, { cause: error, retryAfterMs: 1_000 });
  }
  if (error instanceof LeadershipLost) return noLeader(error.message, error);
  if (isUnwritable(error)) {
    const what = error.code.endsWith('DBMOVED')
      ? 'its file was removed or replaced; the log of the console says how to save what is in it'
      : 'look for free space and the state of its disk';
    const message = `The console cannot write its database now (${error.code}): ${what}.`;
    return new ConsoleError('unavailable', message, { cause: error, retryAfterMs: 5_000 });
  }
  const status = statusCodeOf(error);
  if (status === undefined || status >= 500) {
    return new ConsoleError('internal', 'The console failed to answer; its log says why.', { cause: error });
  }
  if (status === 413) return tooLarge();
  const message =
    status === 415 ? 'The body must be sent as application/json.' : 'The request is not valid HTTP or JSON.';
  return new ConsoleError('bad-request', message, { cause: error });
}

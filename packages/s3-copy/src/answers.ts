import { S3Error, networkCode } from './errors.ts';
import type { S3Request } from './request.ts';
import type { TransportResponse } from './transport.ts';
import { childText, parseXml } from './xml.ts';
import type { OwnCode } from './own-codes.ts';

/** Codes for answers without a body: those to HEAD, and those of proxies. */
const CODES_BY_STATUS: Record<number, string> = {
  301: 'PermanentRedirect',
  307: 'TemporaryRedirect',
  304: 'NotModified',
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'AccessDenied',
  405: 'MethodNotAllowed',
  408: 'RequestTimeout',
  409: 'OperationAborted',
  411: 'MissingContentLength',
  412: 'PreconditionFailed',
  413: 'EntityTooLarge',
  416: 'InvalidRange',
  429: 'TooManyRequests',
  500: 'InternalError',
  501: 'NotImplemented',
  502: 'BadGateway',
  503: 'ServiceUnavailable',
  504: 'GatewayTimeout',
  507: 'InsufficientStorage',
};

/** Answers to these may say 200 and hold an error: the server writes the status before it knows. */
const MAY_FAIL_AFTER_200 = new Set(['CompleteMultipartUpload', 'CopyObject', 'UploadPartCopy']);

/** A date that is off by less than this is not why a request was refused; S3 allows 15 minutes. */
const MIN_SKEW_MS = 4 * 60_000;

/** The error that an answer stands for; null for a success. */
export function errorFromAnswer(request: S3Request, response: TransportResponse): S3Error | null {
  const { status } = response;
  if (status >= 200 && status < 300) {
    return MAY_FAIL_AFTER_200.has(request.operation) ? errorInBody(request, response) : null;
  }
  const document = parseXml(response.body);
  const details = document?.root === 'Error' ? document.content : {};
  return errorOf(request, response, {
    code: childText(details, 'Code') ?? codeFor(status, request),
    message: childText(details, 'Message') ?? plainMessage(response, status),
    requestId: childText(details, 'RequestId'),
  });
}

/** The error for a request that got no answer. */
export function errorFromNetwork(request: S3Request, error: unknown): S3Error {
  if (error instanceof S3Error) return error;
  const { operation, bucket, key } = request;
  const message = error instanceof Error ? messageOf(error) : String(error);
  return new S3Error({
    code: networkCode(error),
    message,
    status: 0,
    operation,
    bucket,
    key,
    requestId: null,
    cause: error,
  });
}

/**
 * How far our clock is behind the server's, when that is why a request was refused; else null.
 * Answers to HEAD carry no code, so for any 403 the dates are compared.
 */
export function skewOf(
  failure: S3Error,
  response: TransportResponse,
  signedAtMs: number,
  nowMs: number,
): number | null {
  if (failure.status !== 403) return null;
  const serverMs = response.headers.dateMs('date');
  if (serverMs === null || Math.abs(serverMs - signedAtMs) < MIN_SKEW_MS) return null;
  return serverMs - nowMs;
}

function errorInBody(request: S3Request, response: TransportResponse): S3Error | null {
  const document = parseXml(response.body);
  if (document === null) {
    const message = 'the answer ended before it said whether the operation succeeded';
    return errorOf(request, response, { code: 'incomplete-response' satisfies OwnCode, message, requestId: null });
  }
  if (document.root !== 'Error') return null;
  return errorOf(request, response, {
    code: childText(document.content, 'Code') ?? 'InternalError',
    message: childText(document.content, 'Message') ?? 'no message',
    requestId: childText(document.content, 'RequestId'),
  });
}

function errorOf(
  request: S3Request,
  response: TransportResponse,
  said: { code: string; message: string; requestId: string | null },
): S3Error {
  const { operation, bucket, key } = request;
  const requestId = response.headers.get('x-amz-request-id') ?? said.requestId;
  const seconds = response.headers.integer('retry-after');
  return new S3Error({
    operation,
    bucket,
    key,
    requestId,
    status: response.status,
    code: said.code === '' ? codeFor(response.status, request) : said.code,
    message: said.message.trim() || `HTTP status ${response.status}`,
    retryAfterMs: seconds === null ? 0 : seconds * 1000,
  });
}

function codeFor(status: number, request: S3Request): string {
  if (status === 404) return request.key === null ? 'NoSuchBucket' : 'NoSuchKey';
  return CODES_BY_STATUS[status] ?? `http-${status}`;
}

/** What a server said that does not speak S3, shortened: mostly the page of a proxy. */
function plainMessage(response: TransportResponse, status: number): string {
  const text = response.body
    .toString('utf8')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return text === '' ? `HTTP status ${status}` : `HTTP status ${status}: ${text.slice(0, 200)}`;
}

function messageOf(error: Error): string {
  if (error.message !== '') return error.message;
  const [first] = error instanceof AggregateError ? error.errors : [];
  return first instanceof Error ? first.message : error.name;
}

import type { S3Operation } from '@weir/governor';
import { attemptOf } from '../s3/attempt-header.ts';
import type { ChargingGovernor } from '../s3/charging-governor.ts';
import { asksForLess, slowDownReason } from '../s3/slow-down.ts';
import type { TransferMeter } from '../s3/transfer-meter.ts';
import { classifyS3Request, type RequestHead } from './classify-s3-request.ts';

/** The `fetch` of this platform. */
export type Fetch = typeof globalThis.fetch;
type Input = Parameters<Fetch>[0];
type Init = Parameters<Fetch>[1];
type FetchRequest = InstanceType<typeof globalThis.Request>;
type FetchResponse = Awaited<ReturnType<Fetch>>;

export interface GovernFetchOptions {
  /**
   * What a request is charged as; null: not governed, it never parks and costs nothing.
   * Default: `classifyS3Request`, which goes by method and query as S3 does.
   */
  classify?: (request: RequestHead) => S3Operation | null;
  /**
   * 0 for the first try of a request, more for a retry, which is free where costs are per object.
   * Default: from the header `amz-sdk-request`, as AWS SDKs send it; without it every request is a first try.
   */
  attempt?: (request: RequestHead) => number;
  /**
   * Makes the request that is sent, once it is admitted: the place to sign. A request that is signed before it comes here
   * may park, and is then sent with an old date. Default: it is sent as it came.
   */
  sign?: (input: Input, init: Init) => FetchRequest | Promise<FetchRequest>;
  /**
   * So many answers in a row that ask for less (503, 429) start a holdoff, which pauses everything for 30–300 s; null:
   * never. Default 3, the attempts that S3 clients usually make.
   */
  holdoffAfter?: number | null;
  /** Counts object bytes, by the lengths that requests and answers state. Default: none. */
  transfer?: TransferMeter;
}

const DEFAULT_HOLDOFF_AFTER = 3;

/**
 * Makes a `fetch` that obeys a governor: each request is charged before it is sent, and parks while there are no credits.
 * The request's `signal` also ends its parking. Rejects with GovernorStoppedError when no grant will ever come; everything
 * else is as with the `fetch` that it wraps.
 * @throws RangeError when `holdoffAfter` is not a whole number ≥ 1
 */
export function governFetch(fetch: Fetch, governor: ChargingGovernor, options: GovernFetchOptions = {}): Fetch {
  const { classify = classifyS3Request, attempt = attemptOfHead, sign, transfer } = options;
  const noteAnswer = watchAnswers(governor, options.holdoffAfter);
  return async (input, init) => {
    const request = headOf(input, init);
    const operation = request === null ? null : classify(request);
    if (request !== null && operation !== null) {
      const parked = governor.charge(operation, attempt(request), signalOf(input, init));
      if (parked !== undefined) await parked;
    }
    const response = sign === undefined ? await fetch(input, init) : await fetch(await sign(input, init));
    if (request === null || operation === null) return response;
    noteAnswer(operation, response.status);
    if (transfer !== undefined && response.ok) count(transfer, operation, init, request, response);
    return response;
  };
}

/** Starts a holdoff when too many answers in a row ask for less. */
function watchAnswers(
  governor: ChargingGovernor,
  limit: number | null = DEFAULT_HOLDOFF_AFTER,
): (operation: S3Operation, status: number) => void {
  if (limit === null) return () => undefined;
  if (!Number.isSafeInteger(limit) || limit < 1) {
    throw new RangeError(`holdoffAfter must be a whole number of at least 1, or null, not ${limit}`);
  }
  let inARow = 0;
  return (operation, status) => {
    inARow = asksForLess(status, null) ? inARow + 1 : 0;
    if (inARow < limit) return;
    inARow = 0;
    governor.startHoldoff({ reason: slowDownReason(operation, status, null), jobId: null });
  };
}

/** What `fetch` would send; null when it would send nothing because the address is none. */
function headOf(input: Input, init: Init): RequestHead | null {
  const request = requestOf(input);
  const address = typeof input === 'string' ? input : input instanceof URL ? input.href : input.url;
  // In a page an address may be relative to it; what it is relative to says nothing about the operation.
  if (!URL.canParse(address, RELATIVE_TO)) return null;
  return {
    method: (init?.method ?? request?.method ?? 'GET').toUpperCase(),
    url: new URL(address, RELATIVE_TO),
    headers: new Headers(init?.headers ?? request?.headers),
  };
}

const RELATIVE_TO = 'http://relative.invalid/';

/** As `fetch` has it: null takes the signal of the request away. */
function signalOf(input: Input, init: Init): AbortSignal | undefined {
  if (init?.signal !== undefined) return init.signal ?? undefined;
  return requestOf(input)?.signal;
}

function requestOf(input: Input): FetchRequest | null {
  return typeof input === 'string' || input instanceof URL ? null : input;
}

function attemptOfHead({ headers }: RequestHead): number {
  return attemptOf(headers.get('amz-sdk-request'));
}

function count(
  transfer: TransferMeter,
  operation: S3Operation,
  init: Init,
  { headers }: RequestHead,
  response: FetchResponse,
): void {
  if (operation === 'GetObject') transfer.read(lengthOf(response.headers.get('content-length')));
  else if (operation === 'PutObject' || operation === 'UploadPart') {
    const stated = headers.get('x-amz-decoded-content-length') ?? headers.get('content-length');
    transfer.wrote(stated === null ? lengthOfBody(init?.body) : lengthOf(stated));
  }
}

/** A length that is not stated counts nothing. */
function lengthOf(header: string | null): number {
  return header === null || header === '' ? 0 : Number(header);
}

/** `fetch` states the length of bodies that it knows the length of only when it sends them. */
function lengthOfBody(body: unknown): number {
  if (typeof body === 'string') return new TextEncoder().encode(body).length;
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) return body.byteLength;
  return body instanceof Blob ? body.size : 0;
}

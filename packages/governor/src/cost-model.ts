/** S3 operation types that can count toward the limit. */
export type TransactionType = 'LIST' | 'GET' | 'PUT' | 'DELETE';

/** Requests that an S3 copy sends, by the names of the S3 API. */
export type S3Operation =
  | 'ListBuckets'
  | 'HeadBucket'
  | 'CreateBucket'
  | 'ListObjectsV2'
  | 'HeadObject'
  | 'GetObject'
  | 'GetObjectTagging'
  | 'PutObject'
  | 'PutObjectTagging'
  | 'CopyObject'
  | 'CreateMultipartUpload'
  | 'UploadPart'
  | 'UploadPartCopy'
  | 'CompleteMultipartUpload'
  | 'AbortMultipartUpload'
  | 'ListParts'
  | 'ListMultipartUploads'
  | 'DeleteObject';

/** What an operation takes from the window. */
export interface Charge {
  readonly type: TransactionType;
  /** Credits: a whole number ≥ 1. */
  readonly cost: number;
}

/** Credits taken once for an object that is copied in parts, whatever their number. */
export const MULTIPART_OBJECT_COST = 11;

// One frozen object per answer: a charge is taken millions of times, so it must not allocate.
const LISTING: Charge = Object.freeze({ type: 'LIST', cost: 1 });
const SINGLE_PUT: Charge = Object.freeze({ type: 'PUT', cost: 1 });
const READING: Charge = Object.freeze({ type: 'GET', cost: 1 });
const REMOVAL: Charge = Object.freeze({ type: 'DELETE', cost: 1 });
const MULTIPART_PUT: Charge = Object.freeze({ type: 'PUT', cost: MULTIPART_OBJECT_COST });

const PER_OBJECT: Readonly<Record<S3Operation, Charge | null>> = {
  ListBuckets: null,
  HeadBucket: null,
  CreateBucket: null,
  ListObjectsV2: LISTING,
  HeadObject: null,
  GetObject: null,
  GetObjectTagging: null,
  PutObject: SINGLE_PUT,
  // Part of an object that was charged.
  PutObjectTagging: null,
  CopyObject: SINGLE_PUT,
  CreateMultipartUpload: MULTIPART_PUT,
  UploadPart: null,
  UploadPartCopy: null,
  CompleteMultipartUpload: null,
  AbortMultipartUpload: null,
  ListParts: null,
  ListMultipartUploads: null,
  DeleteObject: null,
};

const PER_REQUEST: Readonly<Record<S3Operation, Charge>> = {
  ListBuckets: LISTING,
  HeadBucket: READING,
  CreateBucket: SINGLE_PUT,
  ListObjectsV2: LISTING,
  HeadObject: READING,
  GetObject: READING,
  GetObjectTagging: READING,
  PutObject: SINGLE_PUT,
  PutObjectTagging: SINGLE_PUT,
  CopyObject: SINGLE_PUT,
  CreateMultipartUpload: SINGLE_PUT,
  UploadPart: SINGLE_PUT,
  UploadPartCopy: SINGLE_PUT,
  CompleteMultipartUpload: SINGLE_PUT,
  AbortMultipartUpload: REMOVAL,
  ListParts: LISTING,
  ListMultipartUploads: LISTING,
  DeleteObject: REMOVAL,
};

/**
 * `per-object`: the documented costs · `per-request`: every request that is really sent costs 1 of its type (a HEAD is a
 * GET, an abort a DELETE), parts, ranges and retries too, so that the budget is what the servers see.
 */
export type CostModel = 'per-object' | 'per-request';

/**
 * What an operation costs. The documented cost model, `per-object`: an object costs a fixed amount once, not what its requests would add up to.
 *
 * - `ListObjectsV2`: LIST 1 (one page of at most 1,000 objects).
 * - `PutObject`, `CopyObject`: PUT 1.
 * - `CreateMultipartUpload`: PUT 11. This is the object's charge, not the request's: it is taken before the upload is
 *   created, and no later request of that object is charged.
 * - Everything else, and every retry: nothing. GET and DELETE therefore have no effect, even when they are switched on.
 *
 * @param attempt 0 for the first try of a request; anything above is a retry.
 * @param chargedTypes types that the settings count toward the limit.
 * @param model default `per-object`.
 * @returns the charge, or null when the operation is free. The object is shared and frozen.
 */
export function chargeFor(
  operation: S3Operation,
  attempt: number,
  chargedTypes: ReadonlySet<TransactionType>,
  model: CostModel = 'per-object',
): Charge | null {
  if (model === 'per-object' && attempt > 0) return null;
  const charge = model === 'per-object' ? PER_OBJECT[operation] : PER_REQUEST[operation];
  return charge !== null && chargedTypes.has(charge.type) ? charge : null;
}

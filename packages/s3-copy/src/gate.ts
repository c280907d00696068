import type { Cancellation } from './cancellation.ts';

/** Every S3 operation that this package sends. */
export type S3Operation =
  | 'ListBuckets'
  | 'HeadBucket'
  | 'CreateBucket'
  | 'ListObjectsV2'
  | 'HeadObject'
  | 'GetObject'
  | 'GetObjectTagging'
  | 'PutObject'
  | 'CopyObject'
  | 'CreateMultipartUpload'
  | 'UploadPart'
  | 'UploadPartCopy'
  | 'CompleteMultipartUpload'
  | 'AbortMultipartUpload'
  | 'ListParts'
  | 'ListMultipartUploads'
  | 'DeleteObject';

/** Every request is announced here before it is signed and sent; the gate admits it at once or makes it wait. */
export interface OperationGate {
  /**
   * @param attempt 0 for the first, 1 for the first retry.
   * @returns undefined when admitted at once, else a promise of the ms that it was parked.
   */
  charge(operation: S3Operation, attempt: number, signal?: AbortSignal): undefined | Promise<number>;
}

/** A gate that admits everything. */
export const openGate: OperationGate = { charge: () => undefined };

/** What a call cost beyond its first request. */
export interface CallTally {
  /** Attempts beyond the first. */
  retries: number;
  /** Time parked at the gate, in whole ms. */
  parkedMs: number;
}

/** Object bytes that came from sources and went to targets, those of failed attempts included. */
export interface Traffic {
  bytesRead: number;
  bytesWritten: number;
}

/** A tally that has counted nothing yet. */
export function emptyTally(): CallTally {
  return { retries: 0, parkedMs: 0 };
}

/** Whom a call belongs to. */
export interface CallContext {
  readonly gate: OperationGate;
  readonly cancellation: Cancellation;
  readonly tally: CallTally;
  readonly traffic: Traffic;
}

/** Waits at the gate. Not an async function: most calls are admitted at once and should cost nothing. */
export function admit(call: CallContext, operation: S3Operation, attempt: number): undefined | Promise<void> {
  call.cancellation.throwIfCancelled();
  const parked = call.gate.charge(operation, attempt, call.cancellation.signal);
  if (parked === undefined) return undefined;
  return parked.then((parkedMs) => {
    call.tally.parkedMs += Math.round(parkedMs);
    call.cancellation.throwIfCancelled();
  });
}

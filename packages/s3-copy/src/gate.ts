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

/** Learns how requests fare, to adapt what is under way. */
export interface Pace {
  /** An answer came after so many ms; bodies that stream are not in it. */
  answered(operation: S3Operation, latencyMs: number): void;
  /** The server asked for less. */
  throttled(): void;
}

/** Whom a call belongs to. */
export interface CallContext {
  readonly gate: OperationGate;
  /**
   * The charge of the object that the call belongs to: taken once, however often the object begins anew. Absent: every
   * first attempt is a charge of its own.
   */
  readonly charge?: { taken: boolean };
  readonly pace?: Pace;
  /** The gate without what holds the run back; for requests that clean up, and must not wait. Absent: `gate`. */
  readonly gateBelowPause?: OperationGate;
  /** Runs again what a throttle stopped, once the run goes on. Absent: throttles are thrown. */
  readonly absorb?: <T>(run: () => Promise<T>) => Promise<T>;
  readonly cancellation: Cancellation;
  readonly tally: CallTally;
  readonly traffic: Traffic;
}

/** Requests that carry the charge of a whole object. */
const OBJECT_CHARGES: ReadonlySet<S3Operation> = new Set(['PutObject', 'CopyObject', 'CreateMultipartUpload']);

/** Waits at the gate. Not an async function: most calls are admitted at once and should cost nothing. */
export function admit(call: CallContext, operation: S3Operation, attempt: number): undefined | Promise<void> {
  call.cancellation.throwIfCancelled();
  const parked = announce(call, operation, attempt);
  if (parked === undefined) return undefined;
  return parked.then((parkedMs) => {
    call.tally.parkedMs += Math.round(parkedMs);
    call.cancellation.throwIfCancelled();
  });
}

function announce(call: CallContext, operation: S3Operation, attempt: number): undefined | Promise<number> {
  const { gate, charge } = call;
  const { signal } = call.cancellation;
  if (charge === undefined || !OBJECT_CHARGES.has(operation)) return gate.charge(operation, attempt, signal);
  const again = charge.taken ? Math.max(1, attempt) : attempt;
  charge.taken = true;
  return gate.charge(operation, again, signal);
}

/** Announces requests that must not wait, such as those that clean up: they are charged when their turn comes. */
export function announcingGate(gate: OperationGate): OperationGate {
  return {
    charge: (operation, attempt) => {
      gate.charge(operation, attempt)?.catch(() => undefined);
      return undefined;
    },
  };
}

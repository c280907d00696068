import { Cancellation, CancelledError } from './cancellation.ts';
import { copyError, sendStream } from './copy-single.ts';
import type { CopyItem, CopyPlan } from './copy-plan.ts';
import { S3Error } from './errors.ts';
import { etagIsOpaque, isMultipartEtag, md5OfEtag, multipartEtag, sameEtag } from './etag.ts';
import { admit, openGate } from './gate.ts';
import type { CallContext } from './gate.ts';
import { keptHeaders } from './object-headers.ts';
import {
  abortMultipartUpload,
  completeMultipartUpload,
  createMultipartUpload,
  uploadPart,
} from './operations/multipart.ts';
import type { Upload } from './operations/multipart.ts';
import { getObject, headObject } from './operations/objects.ts';
import type { ObjectFacts } from './operations/objects.ts';
import { abortOtherUploads } from './left-uploads.ts';
import { planParts } from './plan-parts.ts';
import type { PartRange } from './plan-parts.ts';
import { withRetries } from './retry.ts';
import { verifiedBody } from './verified-body.ts';

/** Cleaning up after a failure is not allowed to take longer than this, in ms. */
const CLEAN_UP_TIMEOUT_MS = 15_000;

/** An object on its way in parts. */
interface PartsCopy {
  plan: CopyPlan;
  key: string;
  source: ObjectFacts & { sizeBytes: number };
  upload: Upload;
}

interface CopiedPart {
  partNumber: number;
  etag: string;
  md5: Buffer;
}

/**
 * Copies an object of N parts with create, N ranged GETs, N UploadParts and complete: with the HEAD that brought
 * `source` these are the 2N+3 requests of the documents. When anything fails or is cancelled the upload is aborted, so
 * that nothing is left behind to be paid for. Returns the bytes copied.
 */
export async function copyMultipart(
  plan: CopyPlan,
  item: CopyItem,
  targetKey: string,
  source: ObjectFacts & { sizeBytes: number },
  call: CallContext,
): Promise<number> {
  const { client, bucket } = plan.target;
  const headers = keptHeaders(source.headers);
  for (const left of plan.leftUploads?.get(targetKey) ?? []) await abortMultipartUpload(client, left, call);
  plan.leftUploads?.delete(targetKey);
  const parked = admit(call, 'CreateMultipartUpload', 0);
  if (parked !== undefined) await parked;
  // Cut off in the middle, this one would leave an upload whose id nobody knows; so it may finish, whatever happens.
  const detached = { ...call, cancellation: new Cancellation() };
  const retriesBefore = call.tally.retries;
  let upload: Upload | null = null;
  try {
    upload = await createMultipartUpload(client, { bucket, key: targetKey, headers }, detached, { admitted: true });
  } finally {
    // Of an attempt whose answer was lost there may be an upload all the same.
    if (call.tally.retries > retriesBefore) {
      await cleanUp(plan, call, (within) => abortOtherUploads(plan, targetKey, upload, within));
    }
  }
  const copy: PartsCopy = { plan, key: item.key, source, upload };
  try {
    call.cancellation.throwIfCancelled();
    const parts = await copyParts(copy, call);
    await complete(copy, parts, call);
    return source.sizeBytes;
  } catch (error) {
    // The failure that led here is the one to report; a target that cannot abort has told so in it.
    await cleanUp(plan, call, (within) => abortMultipartUpload(client, copy.upload, within));
    throw error;
  }
}

/** Runs all parts, a few at a time; the first failure stops the others, and nothing is under way when this returns. */
async function copyParts(copy: PartsCopy, call: CallContext): Promise<CopiedPart[]> {
  const ranges = planParts(copy.source.sizeBytes, copy.plan.tuning.partBytes);
  const { cancellation, detach } = call.cancellation.child();
  const partCall: CallContext = { ...call, cancellation };
  const copied: CopiedPart[] = [];
  let failure: Error | null = null;
  let next = 0;
  const work = async (): Promise<void> => {
    for (let range = ranges[next++]; range !== undefined && failure === null; range = ranges[next++]) {
      try {
        copied.push(await copyPart(copy, range, partCall));
      } catch (error) {
        failure ??= error instanceof Error ? error : new Error(String(error));
        cancellation.cancel(failure);
      }
    }
  };
  const workers = Math.max(1, Math.min(copy.plan.tuning.partConcurrency, ranges.length));
  await Promise.all(Array.from({ length: workers }, work));
  detach();
  if (failure !== null) throw failure as Error;
  return copied.sort((left, right) => left.partNumber - right.partNumber);
}

async function copyPart(copy: PartsCopy, range: PartRange, call: CallContext): Promise<CopiedPart> {
  const { plan, key, source, upload } = copy;
  const { client, bucket } = plan.source;
  const bytes = range.last - range.first + 1;
  // Weak ETags never match, and some gateways send none.
  const pinned = /^"?[^"/]+"?$/.test(source.etag) ? { ifMatch: source.etag } : {};
  return withRetries(client.retry, client.clock, call, async (attempt) => {
    // Before the GET: were the upload parked or paused after it, the source would close the open body.
    const parked = admit(call, 'UploadPart', attempt);
    if (parked !== undefined) await parked;
    const part = await getObject(client, { bucket, key, ...pinned, range }, call, attempt).catch((error: unknown) => {
      throw error instanceof S3Error && error.code === 'PreconditionFailed' ? sourceChanged(copy) : error;
    });
    const { stream } = part;
    if (stream === null) throw copyError(plan, 'GetObject', key, 'incomplete-response', 'the part came without a body');
    if (part.status !== 206 || part.sizeBytes !== bytes) {
      stream.destroy(new Error('not wanted'));
      const message = `status ${part.status} with ${part.sizeBytes ?? 'unknown'} instead of ${bytes} bytes`;
      throw copyError(plan, 'GetObject', key, 'range-not-honoured', message);
    }
    const body = verifiedBody(stream, call.traffic, () => undefined);
    const etag = await sendStream(stream, () =>
      uploadPart(
        plan.target.client,
        upload,
        { partNumber: range.partNumber, body: { type: 'stream', chunks: body.chunks, bytes } },
        call,
        attempt,
      ),
    );
    const md5 = body.md5();
    checkPart(copy, etag, md5);
    return { partNumber: range.partNumber, etag, md5 };
  });
}

/** @throws S3Error `checksum-mismatch`, which is worth another attempt. */
function checkPart(copy: PartsCopy, etag: string, md5: Buffer): void {
  const expected = md5.toString('hex');
  const stored = md5OfEtag(etag);
  if (etag === '') throw copyError(copy.plan, 'UploadPart', copy.upload.key, 'incomplete-response', 'no ETag came');
  if (!copy.plan.tuning.verifyEtags || stored === null || stored === expected) return;
  const message = `the target stored a part with MD5 ${stored} instead of ${expected}`;
  throw copyError(copy.plan, 'UploadPart', copy.upload.key, 'checksum-mismatch', message);
}

/**
 * Completes the upload and compares the object's ETag with the one that its parts make. A first answer may have been
 * lost: the upload is then gone on the second attempt, and the object says whether it was completed.
 */
async function complete(copy: PartsCopy, parts: readonly CopiedPart[], call: CallContext): Promise<void> {
  const { plan, upload } = copy;
  const { client, bucket } = plan.target;
  const expected = multipartEtag(parts.map((part) => part.md5));
  const retriesBefore = call.tally.retries;
  let etag: string;
  try {
    etag = await completeMultipartUpload(client, upload, parts, call);
  } catch (error) {
    const repeated = call.tally.retries > retriesBefore;
    if (!(error instanceof S3Error) || error.code !== 'NoSuchUpload' || !repeated) throw error;
    const object = await headObject(client, bucket, upload.key, call);
    if (object.sizeBytes !== copy.source.sizeBytes || !sameEtag(object.etag, expected)) throw error;
    ({ etag } = object);
  }
  const comparable = plan.tuning.verifyEtags && isMultipartEtag(etag) && !etagIsOpaque(copy.source.headers);
  if (comparable && !sameEtag(etag, expected)) {
    const message = `the target made an object with ETag ${etag} instead of ${expected}`;
    throw copyError(plan, 'CompleteMultipartUpload', upload.key, 'checksum-mismatch', message);
  }
}

/** Cleans up in a time of its own, since the run may be cancelled already; what cannot be cleaned up stays. */
async function cleanUp(plan: CopyPlan, call: CallContext, run: (within: CallContext) => Promise<void>): Promise<void> {
  const { client } = plan.target;
  const cancellation = new Cancellation();
  const done = new Cancellation();
  client.clock.sleep(CLEAN_UP_TIMEOUT_MS, done).then(
    () => cancellation.cancel(new CancelledError('the target does not answer')),
    () => undefined,
  );
  try {
    await run({ ...call, gate: openGate, cancellation });
  } catch {
    // The next attempt of these objects looks for what was left.
  } finally {
    done.cancel(new CancelledError('done'));
  }
}

function sourceChanged(copy: PartsCopy): S3Error {
  return copyError(
    copy.plan,
    'GetObject',
    copy.key,
    'source-changed',
    'the object was overwritten while it was copied',
  );
}

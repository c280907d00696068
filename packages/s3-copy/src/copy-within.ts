import { copyError } from './copy-errors.ts';
import type { CopyItem, CopyOutcome, CopyPlan } from './copy-plan.ts';
import { S3Error } from './errors.ts';
import { isMultipartEtag, md5OfEtag, sameEtag } from './etag.ts';
import { classifyFault } from './fault-policy.ts';
import type { CallContext } from './gate.ts';
import { copyObjectWithin, headObject } from './operations/objects.ts';

/** Largest object that S3 copies with one request, in bytes: 5 GiB. */
export const MAX_COPY_OBJECT_BYTES: number = 5 * 1024 ** 3;

/** Whether one CopyObject is enough, so that its part layout does not matter or is none. */
export function fitsCopyObject(plan: CopyPlan, sizeBytes: number, etag: string): boolean {
  if (sizeBytes > Math.min(MAX_COPY_OBJECT_BYTES, plan.tuning.copyObjectUpToBytes)) return false;
  const small = sizeBytes < plan.tuning.multipartThresholdBytes;
  return small || !plan.tuning.keepPartLayout || !isMultipartEtag(etag);
}

/**
 * Lets the server copy an object: one request, and no byte comes here. Metadata and tags are copied with it.
 * @param source size and ETag as they are known; the copy may turn out to be of a newer version
 */
export async function copyWithin(
  plan: CopyPlan,
  item: CopyItem,
  targetKey: string,
  source: { sizeBytes: number; etag: string },
  call: CallContext,
): Promise<CopyOutcome> {
  const { client, bucket } = plan.target;
  const from = { bucket: plan.source.bucket, key: item.key };
  const { etag } = await copyObjectWithin(client, { bucket, key: targetKey, from, headers: [] }, call);
  const { sizeBytes } = source;
  const bytes = sizeBytes;
  if (etag !== '' && sameEtag(etag, source.etag)) {
    return { type: 'copied', bytes, etag, verified: md5OfEtag(etag) === null ? 'etag' : 'md5' };
  }
  if (etag === '' || md5OfEtag(source.etag) === null) return { type: 'copied', bytes, etag, verified: 'size' };
  // Ceph ignores conditions on the source, so none was sent: another ETag is that of a newer version, or damage.
  const now = await headObject(plan.source.client, from.bucket, from.key, call);
  if (sameEtag(now.etag, etag)) {
    return { type: 'copied', bytes: now.sizeBytes ?? bytes, etag, verified: md5OfEtag(etag) === null ? 'etag' : 'md5' };
  }
  if (!plan.tuning.verifyEtags || md5OfEtag(etag) === null) return { type: 'copied', bytes, etag, verified: 'size' };
  const message = `the server made a copy with ETag ${etag} of an object with ${now.etag}`;
  throw copyError(plan, 'CopyObject', targetKey, 'checksum-mismatch', message);
}

/**
 * Whether a refused copy within the server may still work by way of this process: the request is not known there, or
 * needs a right that reading and writing do not.
 */
export function mayTravel(error: unknown): error is S3Error {
  if (!(error instanceof S3Error) || !REFUSALS.has(error.status)) return false;
  const fault = classifyFault(error);
  return fault === 'object' || fault === 'access';
}

const REFUSALS = new Set([400, 403, 405, 501]);

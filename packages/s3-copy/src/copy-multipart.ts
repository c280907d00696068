import { absorb } from './absorb.ts';
import { Cancellation } from './cancellation.ts';
import { cleanUp } from './clean-up.ts';
import { copyError } from './copy-errors.ts';
import { copyParts, isProvenByWhole, requireUnchanged } from './copy-parts.ts';
import type { CopiedPart, PartsCopy } from './copy-parts.ts';
import type { CopyItem, CopyOutcome, CopyPlan } from './copy-plan.ts';
import { S3Error } from './errors.ts';
import { etagIsOpaque, isMultipartEtag, md5OfEtag, multipartEtag, sameEtag } from './etag.ts';
import { admit } from './gate.ts';
import type { CallContext } from './gate.ts';
import { keptFacts, requireMetadataKept, withKeptFacts } from './kept-facts.ts';
import type { KeptFacts } from './kept-facts.ts';
import { abortOtherUploads } from './left-uploads.ts';
import type { Verification } from './manifest.ts';
import { abortMultipartUpload, completeMultipartUpload, createMultipartUpload } from './operations/multipart.ts';
import type { Upload } from './operations/multipart.ts';
import { headObject } from './operations/objects.ts';
import { putObjectTagging } from './operations/tags.ts';
import { wholeDigestFor } from './ordered-digest.ts';
import { layoutOf } from './part-layout.ts';
import type { SourceFacts } from './part-layout.ts';
import { requireSameHeaders, resumeMismatch, takeUpLeftUpload } from './resume-upload.ts';

/**
 * Copies an object of N parts with create, N ranged GETs, N UploadParts and complete: with the HEAD that brought
 * `source` these are the 2N+3 requests of the documents. Within one endpoint N UploadPartCopy take the place of both.
 * When anything fails or is cancelled the upload is aborted, so that nothing is left behind to be paid for.
 * @throws HeaderRefusedError when the object should be tried anew without a header that the target refused.
 */
export async function copyMultipart(
  plan: CopyPlan,
  item: CopyItem,
  targetKey: string,
  source: SourceFacts & { sizeBytes: number },
  call: CallContext,
): Promise<CopyOutcome> {
  const layout = await layoutOf(plan, item.key, source, call);
  const resumed = await takeUpLeftUpload(plan, targetKey, layout, call);
  const kept = await keptFacts(plan, item.key, source.headers, call);
  const upload = resumed?.upload ?? (await createUpload(plan, targetKey, kept, call));
  const within = plan.serverSideCopy && plan.learned.serverSideCopy;
  const copy: PartsCopy = {
    plan,
    key: item.key,
    source,
    layout,
    upload,
    stored: resumed?.stored ?? new Map(),
    whole: within ? null : wholeDigestFor(plan, source, layout),
    within,
  };
  try {
    call.cancellation.throwIfCancelled();
    const parts = await copyParts(copy, call);
    const judged = await judgeParts(copy, parts, call);
    const etag = await complete(copy, parts, judged.etag, call);
    if (resumed !== null) await requireSameHeaders(plan, item.key, source, targetKey, call);
    await tag(plan, targetKey, kept, call);
    await requireMetadataKept(plan, targetKey, kept, call);
    return { type: 'copied', bytes: source.sizeBytes, etag, verified: judged.verified };
  } catch (error) {
    // The failure that led here is the one to report; a target that cannot abort has told so in it.
    await cleanUp(plan, call, (clean) => abortMultipartUpload(plan.target.client, upload, clean));
    throw error;
  }
}

async function createUpload(plan: CopyPlan, key: string, kept: KeptFacts, call: CallContext): Promise<Upload> {
  const { client, bucket } = plan.target;
  const parked = admit(call, 'CreateMultipartUpload', 0);
  if (parked !== undefined) await parked;
  // Cut off in the middle, this one would leave an upload whose id nobody knows; so it may finish, whatever happens.
  const detached = { ...call, cancellation: new Cancellation() };
  const retriesBefore = call.tally.retries;
  let upload: Upload | null = null;
  try {
    const request = { bucket, key, headers: kept.headers };
    upload = await withKeptFacts(plan, kept, () =>
      createMultipartUpload(client, request, detached, { admitted: true }),
    );
    return upload;
  } finally {
    // Of an attempt whose answer was lost there may be an upload all the same.
    if (call.tally.retries > retriesBefore) {
      await cleanUp(plan, call, (within) => abortOtherUploads(plan, key, upload, within));
    }
  }
}

/**
 * Judges the parts before they become an object.
 * @returns the ETag that the object will have (null: unknown), and how sure it is to be its source
 * @throws S3Error `checksum-mismatch`, `source-changed` or `resume-mismatch`: the object must not be completed
 */
async function judgeParts(
  copy: PartsCopy,
  parts: readonly CopiedPart[],
  call: CallContext,
): Promise<{ etag: string | null; verified: Verification }> {
  const { plan, key, source, layout, whole, within } = copy;
  const md5s = parts.flatMap(({ md5 }) => md5 ?? []);
  const etag = md5s.length === parts.length ? multipartEtag(md5s) : null;
  if (etag !== null && isMultipartEtag(source.etag) && sameEtag(etag, source.etag)) return { etag, verified: 'etag' };
  if (copy.stored.size > 0 && isProvenByWhole(copy)) {
    throw resumeMismatch(plan, key, 'the parts of an earlier run are not those of the object');
  }
  const expected = md5OfEtag(source.etag);
  const actual = whole?.hex(layout.ranges.length) ?? null;
  if (actual !== null && expected !== null) {
    if (actual === expected) return { etag, verified: 'md5' };
    throw copyError(plan, 'GetObject', key, 'checksum-mismatch', `MD5 ${actual} instead of ${expected}`);
  }
  // Some servers ignore the condition that pins each part to one version of its source (Ceph does).
  if (within) await requireUnchanged(copy, call);
  const acknowledged = !within && parts.every((part) => md5OfEtag(part.etag) === part.md5?.toString('hex'));
  return { etag, verified: acknowledged ? 'parts' : 'size' };
}

/**
 * Completes the upload and compares the object's ETag with the one that its parts make. A first answer may have been
 * lost: the upload is then gone on the second attempt, and the object says whether it was completed.
 */
async function complete(
  copy: PartsCopy,
  parts: readonly CopiedPart[],
  expected: string | null,
  call: CallContext,
): Promise<string> {
  const { plan, upload } = copy;
  const { client, bucket } = plan.target;
  let attempts = 0;
  const retriesBefore = call.tally.retries;
  const etag = await absorb(call, async () => {
    attempts++;
    try {
      return await completeMultipartUpload(client, upload, parts, call);
    } catch (error) {
      const repeated = attempts > 1 || call.tally.retries > retriesBefore;
      if (!(error instanceof S3Error) || error.code !== 'NoSuchUpload' || !repeated) throw error;
      const object = await headObject(client, bucket, upload.key, call);
      const same = expected === null || sameEtag(object.etag, expected);
      if (object.sizeBytes !== copy.source.sizeBytes || !same) throw error;
      return object.etag;
    }
  });
  const comparable = plan.tuning.verifyEtags && isMultipartEtag(etag) && !etagIsOpaque(copy.source.headers);
  if (comparable && expected !== null && !sameEtag(etag, expected)) {
    const message = `the target made an object with ETag ${etag} instead of ${expected}`;
    throw copyError(plan, 'CompleteMultipartUpload', upload.key, 'checksum-mismatch', message);
  }
  return etag === '' ? (expected ?? '') : etag;
}

/** Ceph up to Pacific drops the tags that an upload was created with. */
async function tag(plan: CopyPlan, key: string, { tags }: KeptFacts, call: CallContext): Promise<void> {
  if (tags.length === 0) return;
  const { client, bucket } = plan.target;
  await absorb(call, () => putObjectTagging(client, { bucket, key, tags }, call));
}

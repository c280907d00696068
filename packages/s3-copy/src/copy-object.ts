import { cleanUp } from './clean-up.ts';
import { copyError } from './copy-errors.ts';
import { copyMultipart } from './copy-multipart.ts';
import { targetKeyOf } from './copy-plan.ts';
import type { CopyItem, CopyOutcome, CopyPlan } from './copy-plan.ts';
import { copySingle } from './copy-single.ts';
import { copyWithin, fitsCopyObject, mayTravel } from './copy-within.ts';
import { S3Error } from './errors.ts';
import { sameEtag } from './etag.ts';
import type { CallContext } from './gate.ts';
import { HeaderRefusedError } from './kept-facts.ts';
import { deleteObject, headObject } from './operations/objects.ts';
import type { ObjectFacts } from './operations/objects.ts';
import { headSource } from './part-layout.ts';
import type { SourceFacts } from './part-layout.ts';
import { haveSameHeaders } from './resume-upload.ts';
import { isSkipped } from './skip-check.ts';

/** How often a copy begins anew: its source was overwritten in the middle, or the target refused one of its headers. */
const MAX_RESTARTS = 3;

/**
 * Copies one object, or finds that it need not be copied.
 * Requests: GET and PUT below the multipart threshold, 2N+3 from there on, one more when the target is checked first;
 * within one endpoint one CopyObject, or N+3.
 * @throws S3Error when it cannot be copied; the cancellation's reason when told to stop.
 */
export async function copyObject(plan: CopyPlan, item: CopyItem, call: CallContext): Promise<CopyOutcome> {
  const targetKey = targetKeyOf(plan, item.key);
  if (targetKey === null) {
    const message = 'with the prefixes of this job its name at the target would be empty or over 1,024 bytes long';
    throw copyError(plan, 'PutObject', item.key, 'no-target-key', message);
  }
  for (let restarts = 0; ; restarts++) {
    try {
      return await copyOnce(plan, item, targetKey, call);
    } catch (error) {
      if (isDamagedCopy(error)) {
        const { client, bucket } = plan.target;
        await cleanUp(plan, call, (within) => deleteObject(client, bucket, targetKey, within));
      }
      if (!beginsAnew(error)) throw error;
      if (restarts < MAX_RESTARTS) continue;
      if (error instanceof S3Error) throw error;
      throw copyError(plan, 'PutObject', targetKey, 'header-refused', error.message);
    }
  }
}

/** The target holds an object now that is not its source. */
function isDamagedCopy(error: unknown): boolean {
  return error instanceof S3Error && error.code === 'checksum-mismatch' && WRITES.has(error.operation);
}

const WRITES: ReadonlySet<string> = new Set(['PutObject', 'CopyObject', 'CompleteMultipartUpload']);

function beginsAnew(error: unknown): error is S3Error | HeaderRefusedError {
  if (error instanceof HeaderRefusedError) return true;
  return error instanceof S3Error && (error.code === 'source-changed' || error.code === 'resume-mismatch');
}

async function copyOnce(plan: CopyPlan, item: CopyItem, targetKey: string, call: CallContext): Promise<CopyOutcome> {
  let source: SourceFacts | null = null;
  if (plan.mode !== 'copy-all' && item.verdict !== 'copy') {
    if (item.sizeBytes === null) source = await headSource(plan, item, call);
    const target = await goodTarget(plan, item, source, targetKey, call);
    if (target !== null) return { type: 'skipped', etag: target.etag };
  }
  if (plan.dryRun === true) return plannedCopy(plan, item, source, call);
  if (item.verdict === 'perhaps-copied') {
    const copied = await copiedBefore(plan, item, targetKey, call);
    if (copied !== null) return copied;
  }
  if (plan.serverSideCopy && plan.learned.serverSideCopy) {
    const copied = await tryWithin(plan, item, targetKey, source, call);
    if (copied !== null) return copied;
  }
  return travel(plan, item, targetKey, source, call);
}

/** Looks at both sides of an object in parts that an earlier run seems to have copied. Null when it has to be copied. */
async function copiedBefore(
  plan: CopyPlan,
  item: CopyItem,
  targetKey: string,
  call: CallContext,
): Promise<CopyOutcome | null> {
  const source = await headSource(plan, item, call);
  const target = await headObject(plan.target.client, plan.target.bucket, targetKey, call).catch((error: unknown) => {
    // Gone since it was listed.
    if (error instanceof S3Error && error.status === 404) return null;
    throw error;
  });
  if (target === null) return null;
  const same = sameEtag(source.etag, target.etag) && source.sizeBytes === target.sizeBytes;
  if (!same || source.sizeBytes === null || !haveSameHeaders(source.headers, target.headers)) return null;
  const [wanted, arrived] = [source, target].map(({ headers }) => headers.get('x-amz-tagging-count'));
  if (plan.learned.tags && wanted !== arrived) return null;
  return { type: 'copied', bytes: source.sizeBytes, etag: target.etag, verified: 'etag' };
}

/** Copies by one GET and one PUT, or in parts. */
async function travel(
  plan: CopyPlan,
  item: CopyItem,
  targetKey: string,
  known: SourceFacts | null,
  call: CallContext,
): Promise<CopyOutcome> {
  const { multipartThresholdBytes } = plan.tuning;
  const size = known?.sizeBytes ?? item.sizeBytes;
  if (size !== null && size < multipartThresholdBytes) return copySingle(plan, item, targetKey, call);
  const source = known ?? (await headSource(plan, item, call));
  const { sizeBytes } = source;
  if (sizeBytes === null) {
    const message = 'the source does not say how long it is';
    throw copyError(plan, 'HeadObject', item.key, 'missing-content-length', message);
  }
  if (sizeBytes < multipartThresholdBytes) return copySingle(plan, item, targetKey, call);
  return copyMultipart(plan, item, targetKey, { ...source, sizeBytes }, call);
}

/** Lets the endpoint copy by itself. Null when it has to travel all the same. */
async function tryWithin(
  plan: CopyPlan,
  item: CopyItem,
  targetKey: string,
  known: SourceFacts | null,
  call: CallContext,
): Promise<CopyOutcome | null> {
  const described = item.sizeBytes !== null && item.etag !== null && item.etag !== '';
  const source = known ?? (described ? item : await headSource(plan, item, call));
  const { sizeBytes, etag } = source;
  if (sizeBytes === null || etag === null) return null;
  try {
    if (fitsCopyObject(plan, sizeBytes, etag)) {
      return await copyWithin(plan, item, targetKey, { sizeBytes, etag }, call);
    }
    const facts = 'headers' in source ? source : await headSource(plan, item, call);
    return await copyMultipart(plan, item, targetKey, { ...facts, sizeBytes: facts.sizeBytes ?? sizeBytes }, call);
  } catch (error) {
    if (!mayTravel(error)) throw error;
    // Refused for this object, or for all: with the refusal known, the others need not ask.
    plan.learned.serverSideCopy = false;
    plan.learned.warn({ code: 'server-side-copy-not-supported', key: item.key, message: error.message });
    return null;
  }
}

/** What copying it would count; only an object that no listing described has to be asked for its size. */
async function plannedCopy(
  plan: CopyPlan,
  item: CopyItem,
  source: ObjectFacts | null,
  call: CallContext,
): Promise<CopyOutcome> {
  const sizeBytes = item.sizeBytes ?? source?.sizeBytes ?? (await headSource(plan, item, call)).sizeBytes;
  return { type: 'copied', bytes: sizeBytes ?? 0, etag: '', verified: 'none' };
}

/** The object at the target when it can stay; else null. */
async function goodTarget(
  plan: CopyPlan,
  item: CopyItem,
  source: ObjectFacts | null,
  targetKey: string,
  call: CallContext,
): Promise<ObjectFacts | null> {
  try {
    const target = await headObject(plan.target.client, plan.target.bucket, targetKey, call);
    const { sizeBytes, lastModifiedMs } = source ?? item;
    const compared = { sizeBytes, etag: source?.etag ?? item.etag ?? '', lastModifiedMs };
    return isSkipped(plan.mode, compared, target, plan.tuning.verifyEtags) ? target : null;
  } catch (error) {
    if (error instanceof S3Error && error.code === 'NoSuchKey') return null;
    throw error;
  }
}

import { copyMultipart } from './copy-multipart.ts';
import { targetKeyOf } from './copy-plan.ts';
import type { CopyItem, CopyOutcome, CopyPlan } from './copy-plan.ts';
import { copyError, copySingle } from './copy-single.ts';
import { S3Error } from './errors.ts';
import type { CallContext } from './gate.ts';
import { headObject } from './operations/objects.ts';
import type { ObjectFacts } from './operations/objects.ts';
import { isSkipped } from './skip-check.ts';

/** How often a copy begins anew because its source was overwritten in the middle. */
const MAX_RESTARTS = 2;

/**
 * Copies one object, or finds that it need not be copied.
 * Requests: GET and PUT below the multipart threshold, 2N+3 from there on, one more when the target is checked first.
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
      const changed = error instanceof S3Error && error.code === 'source-changed';
      if (!changed || restarts >= MAX_RESTARTS) throw error;
    }
  }
}

async function copyOnce(plan: CopyPlan, item: CopyItem, targetKey: string, call: CallContext): Promise<CopyOutcome> {
  const needsHead = item.sizeBytes === null || item.sizeBytes >= plan.tuning.multipartThresholdBytes;
  let source: ObjectFacts | null = null;
  if (plan.mode !== 'copy-all' && item.verdict !== 'copy') {
    if (item.sizeBytes === null) source = await headSource(plan, item, call);
    if (await targetIsGood(plan, item, source, targetKey, call)) return { type: 'skipped' };
  }
  if (plan.dryRun === true) return plannedCopy(plan, item, source, call);
  if (needsHead) source ??= await headSource(plan, item, call);
  if (source !== null) {
    const { sizeBytes } = source;
    if (sizeBytes === null) {
      const message = 'the source does not say how long it is';
      throw copyError(plan, 'HeadObject', item.key, 'missing-content-length', message);
    }
    if (sizeBytes >= plan.tuning.multipartThresholdBytes) {
      const bytes = await copyMultipart(plan, item, targetKey, { ...source, sizeBytes }, call);
      return { type: 'copied', bytes };
    }
  }
  return { type: 'copied', bytes: await copySingle(plan, item, targetKey, call) };
}

/** What copying it would count; only an object that no listing described has to be asked for its size. */
async function plannedCopy(
  plan: CopyPlan,
  item: CopyItem,
  source: ObjectFacts | null,
  call: CallContext,
): Promise<CopyOutcome> {
  const sizeBytes = item.sizeBytes ?? source?.sizeBytes ?? (await headSource(plan, item, call)).sizeBytes;
  return { type: 'copied', bytes: sizeBytes ?? 0 };
}

function headSource(plan: CopyPlan, item: CopyItem, call: CallContext): Promise<ObjectFacts> {
  return headObject(plan.source.client, plan.source.bucket, item.key, call);
}

async function targetIsGood(
  plan: CopyPlan,
  item: CopyItem,
  source: ObjectFacts | null,
  targetKey: string,
  call: CallContext,
): Promise<boolean> {
  try {
    const target = await headObject(plan.target.client, plan.target.bucket, targetKey, call);
    const { sizeBytes, lastModifiedMs } = source ?? item;
    const compared = { sizeBytes, etag: source?.etag ?? item.etag ?? '', lastModifiedMs };
    return isSkipped(plan.mode, compared, target, plan.tuning.verifyEtags);
  } catch (error) {
    if (error instanceof S3Error && error.code === 'NoSuchKey') return false;
    throw error;
  }
}

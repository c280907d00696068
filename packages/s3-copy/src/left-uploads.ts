import type { CopyPlan } from './copy-plan.ts';
import type { CallContext } from './gate.ts';
import { abortMultipartUpload, listMultipartUploads } from './operations/multipart.ts';
import type { Upload } from './operations/multipart.ts';

/**
 * Uploads that are unfinished at the target, by key. A process that was killed could not abort its own, and they cost
 * money until somebody does. Those of keys that are not copied are somebody else's and stay.
 */
export async function leftUploads(plan: CopyPlan, call: CallContext): Promise<Map<string, Upload[]>> {
  const { client, bucket, prefix } = plan.target;
  const byKey = new Map<string, Upload[]>();
  for (const upload of await listMultipartUploads(client, { bucket, prefix }, call)) {
    const others = byKey.get(upload.key);
    if (others === undefined) byKey.set(upload.key, [upload]);
    else others.push(upload);
  }
  return byKey;
}

/**
 * Aborts the unfinished uploads of one key except `kept`: those that a create made whose answer was lost, so that nobody
 * knows their ids. Tries once, within the time that the call allows.
 */
export async function abortOtherUploads(
  plan: CopyPlan,
  key: string,
  kept: Upload | null,
  call: CallContext,
): Promise<void> {
  const { client, bucket } = plan.target;
  for (const upload of await listMultipartUploads(client, { bucket, prefix: key, limit: MAX_STRAYS }, call)) {
    if (upload.key === key && upload.uploadId !== kept?.uploadId) await abortMultipartUpload(client, upload, call);
  }
}

/** Uploads that are looked at; longer keys that begin alike come after those of the key itself. */
const MAX_STRAYS = 1_000;

import type { CopyPlan } from './copy-plan.ts';
import type { CallContext } from './gate.ts';
import { listMultipartUploads } from './operations/multipart.ts';
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

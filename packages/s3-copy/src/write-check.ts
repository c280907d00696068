import type { CopyPlan } from './copy-plan.ts';
import { S3Error } from './errors.ts';
import { classifyFault } from './fault-policy.ts';
import type { CallContext } from './gate.ts';
import { abortMultipartUpload } from './operations/multipart.ts';

/** In the form of Ceph, which is the strictest; nobody has an upload of this name. */
const NO_UPLOAD = '2~weir-write-check-0000000000000';

/**
 * Finds out whether the target may be written to, before a byte is read: asks it to abort an upload that there is not.
 * A target that may be written to knows no such upload; one that may only be read refuses. Nothing is changed, and no cost
 * model charges for it. Rights to upload but not to abort are refused as well: unfinished uploads could not be removed.
 * @throws S3Error when the target refuses or cannot be used at all; other answers are no reason to stop
 */
export async function requireWritable(plan: CopyPlan, call: CallContext): Promise<void> {
  const { client, bucket, prefix } = plan.target;
  try {
    await abortMultipartUpload(client, { bucket, key: `${prefix}.weir-write-check`, uploadId: NO_UPLOAD }, call);
  } catch (error) {
    if (!(error instanceof S3Error) || classifyFault(error) !== 'object') throw error;
  }
}

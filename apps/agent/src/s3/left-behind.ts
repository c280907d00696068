import {
  abortMultipartUpload,
  compareUtf8,
  headObject,
  listMultipartUploads,
  S3Error,
  type CallContext,
  type S3Client,
} from '@weir/s3-copy';
import type { ShardTask } from '../shards/copy-engine.ts';

/**
 * Aborts the unfinished uploads that an agent which is dead left at the target of a task: those of keys in the range behind
 * the checkpoint, or in the list, whose object is at the source. Others belong to somebody else.
 * @returns how many were aborted
 */
export async function removeLeftUploads(
  task: ShardTask,
  { source, target }: { source: S3Client; target: S3Client },
  call: CallContext,
): Promise<number> {
  const { bucket, prefix } = task.target;
  let removed = 0;
  for (const upload of await listMultipartUploads(target, { bucket, prefix }, call)) {
    if (!upload.key.startsWith(prefix)) continue;
    const key = task.source.prefix + upload.key.slice(prefix.length);
    if (!covers(task, key) || !(await exists(source, task.source.bucket, key, call))) continue;
    await abortMultipartUpload(target, upload, call);
    removed++;
  }
  return removed;
}

function covers({ work, checkpoint }: ShardTask, key: string): boolean {
  if (work.type === 'keys') return work.keys.includes(key);
  const after = checkpoint ?? work.startAfter;
  return (after === null || compareUtf8(key, after) > 0) && (work.endAt === null || compareUtf8(key, work.endAt) <= 0);
}

async function exists(client: S3Client, bucket: string, key: string, call: CallContext): Promise<boolean> {
  try {
    await headObject(client, bucket, key, call);
    return true;
  } catch (error) {
    if (error instanceof S3Error && error.status === 404) return false;
    throw error;
  }
}

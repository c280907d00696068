import type { CopyMode } from './copy-plan.ts';
import { md5OfEtag } from './etag.ts';

/** What decides whether an object has to be copied again. */
export interface ComparedObject {
  sizeBytes: number | null;
  etag: string;
  lastModifiedMs: number | null;
}

/**
 * Whether an object that exists at the target is left alone.
 * `incremental` copies when the size differs, the source is newer, or both ETags are MD5s and differ. ETags of multipart
 * objects depend on the size of their parts and are not compared: the same object would be copied for ever.
 */
export function isSkipped(mode: CopyMode, source: ComparedObject, target: ComparedObject): boolean {
  if (mode === 'copy-all') return false;
  if (mode === 'target-skip') return true;
  if (source.sizeBytes !== target.sizeBytes) return false;
  const sourceMd5 = md5OfEtag(source.etag);
  const targetMd5 = md5OfEtag(target.etag);
  const comparable = sourceMd5 !== null && targetMd5 !== null;
  if (comparable && sourceMd5 !== targetMd5) return false;
  // HEAD tells whole seconds, listings tell more. Within one second only the content can say that nothing changed.
  const sourceSecond = Math.floor((source.lastModifiedMs ?? Number.POSITIVE_INFINITY) / 1000);
  const targetSecond = Math.floor((target.lastModifiedMs ?? Number.NEGATIVE_INFINITY) / 1000);
  return sourceSecond < targetSecond || (sourceSecond === targetSecond && comparable);
}

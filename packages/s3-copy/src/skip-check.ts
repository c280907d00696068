import type { CopyMode } from './copy-plan.ts';
import { isMultipartEtag, md5OfEtag, sameEtag } from './etag.ts';

/** What decides whether an object has to be copied again. */
export interface ComparedObject {
  /** null: the server does not say. */
  sizeBytes: number | null;
  etag: string;
  /** null: the server does not say. */
  lastModifiedMs: number | null;
}

/**
 * Whether an object that exists at the target is left alone; the same for what HEAD tells and what listings tell.
 * `incremental` copies when the size differs, the ETags show other content, or the source is newer.
 * @param verifyEtags false: ETags look like MD5s and are none, so they are not compared.
 */
export function isSkipped(
  mode: CopyMode,
  source: ComparedObject,
  target: ComparedObject,
  verifyEtags: boolean = true,
): boolean {
  if (mode === 'copy-all') return false;
  if (mode === 'target-skip') return true;
  if (source.sizeBytes !== target.sizeBytes) return false;
  const content = verifyEtags ? compareContent(source.etag, target.etag) : 'unknown';
  if (content === 'different') return false;
  if (source.lastModifiedMs === null || target.lastModifiedMs === null) return content === 'same';
  // HEAD tells whole seconds, listings tell more. Within one second only the content can say that nothing changed.
  const sourceSecond = Math.floor(source.lastModifiedMs / 1000);
  const targetSecond = Math.floor(target.lastModifiedMs / 1000);
  return sourceSecond < targetSecond || (sourceSecond === targetSecond && content === 'same');
}

/** Whether size and ETags show that two objects hold the same bytes. */
export function isSameContent(left: ComparedObject, right: ComparedObject): boolean {
  return left.sizeBytes === right.sizeBytes && compareContent(left.etag, right.etag) === 'same';
}

/**
 * What two ETags say about the content of objects of one size. Those of multipart objects depend on the size of the
 * parts: when equal, content and layout are the same; when not, the layout may be all that differs, and an object that
 * counted as changed for it would be copied for ever.
 */
function compareContent(source: string, target: string): 'same' | 'different' | 'unknown' {
  const sourceMd5 = md5OfEtag(source);
  const targetMd5 = md5OfEtag(target);
  if (sourceMd5 !== null && targetMd5 !== null) return sourceMd5 === targetMd5 ? 'same' : 'different';
  return isMultipartEtag(source) && sameEtag(source, target) ? 'same' : 'unknown';
}

import { copyError } from './copy-errors.ts';
import type { CopyPlan } from './copy-plan.ts';
import { asEncodedWords } from './encoded-metadata.ts';
import { S3Error } from './errors.ts';
import type { CallContext } from './gate.ts';
import { keptHeaders } from './object-headers.ts';
import { abortMultipartUpload, listParts } from './operations/multipart.ts';
import type { StoredPart, Upload } from './operations/multipart.ts';
import { headObject } from './operations/objects.ts';
import type { ObjectFacts } from './operations/objects.ts';
import type { PartLayout } from './part-layout.ts';
import type { ResponseHeaders } from './response-headers.ts';

/*
 * An upload that a killed run left is worth what its finished parts are worth. Nobody wrote down whose it is, so nothing
 * about it is believed: its parts must fit the layout, each is compared with its source by MD5 (or all of them at once,
 * where the source has a multipart ETag of the same layout), and when the object is complete its headers are compared
 * with those of the source. Whatever does not hold is thrown away and copied anew.
 */

/** An upload to continue. */
export interface ResumableUpload {
  upload: Upload;
  stored: Map<number, StoredPart>;
}

/** Uploads of one key whose parts are asked for; the newest ones are the likeliest. */
const MAX_CANDIDATES = 2;

/**
 * Chooses among the uploads that an earlier run left for an object the one that has most of it, and aborts the others.
 * Null: none is of use.
 */
export async function takeUpLeftUpload(
  plan: CopyPlan,
  targetKey: string,
  layout: PartLayout,
  call: CallContext,
): Promise<ResumableUpload | null> {
  const left = plan.leftUploads?.get(targetKey) ?? [];
  plan.leftUploads?.delete(targetKey);
  let best: ResumableUpload | null = null;
  const newestFirst = left.toSorted((a, b) => (b.initiatedMs ?? 0) - (a.initiatedMs ?? 0));
  for (const [index, upload] of newestFirst.entries()) {
    const stored = index < MAX_CANDIDATES ? await fittingParts(plan, upload, layout, call) : null;
    if (stored !== null && stored.size > (best?.stored.size ?? 0)) {
      if (best !== null) await abortMultipartUpload(plan.target.client, best.upload, call);
      best = { upload, stored };
    } else {
      await abortMultipartUpload(plan.target.client, upload, call);
    }
  }
  return best;
}

/** The parts of an upload; null when one of them fits nowhere in the layout: some servers then refuse to complete it. */
async function fittingParts(
  plan: CopyPlan,
  upload: Upload,
  { ranges }: PartLayout,
  call: CallContext,
): Promise<Map<number, StoredPart> | null> {
  try {
    const stored = new Map<number, StoredPart>();
    for (const part of await listParts(plan.target.client, upload, call)) {
      const range = ranges[part.partNumber - 1];
      if (range === undefined || range.last - range.first + 1 !== part.sizeBytes) return null;
      stored.set(part.partNumber, part);
    }
    return stored;
  } catch (error) {
    if (error instanceof S3Error && GONE_OR_UNKNOWN.has(error.code)) return null;
    throw error;
  }
}

const GONE_OR_UNKNOWN = new Set(['NoSuchUpload', 'NotImplemented', 'MethodNotAllowed']);

/**
 * Compares the headers of an object that was completed from somebody's upload with those of its source.
 * @throws S3Error `resume-mismatch` when it has to be copied anew
 */
export async function requireSameHeaders(
  plan: CopyPlan,
  key: string,
  source: ObjectFacts,
  targetKey: string,
  call: CallContext,
): Promise<void> {
  const target = await headObject(plan.target.client, plan.target.bucket, targetKey, call);
  if (haveSameHeaders(source.headers, target.headers)) return;
  throw resumeMismatch(plan, key, 'an upload that was continued had other headers than the object');
}

/** Whether a copy has all the headers that copies keep. */
export function haveSameHeaders(source: ResponseHeaders, target: ResponseHeaders): boolean {
  return kept(source) === kept(target);
}

function kept(headers: ResponseHeaders): string {
  // However the target gives back what is beyond ASCII.
  const pairs = asEncodedWords(keptHeaders(headers)).map(([name, value]) => `${name}: ${value}`);
  return pairs.sort().join('\n');
}

/** What was left of an earlier run does not fit; the object is copied from its beginning. */
export function resumeMismatch(plan: CopyPlan, key: string, message: string): S3Error {
  return copyError(plan, 'CompleteMultipartUpload', key, 'resume-mismatch', message);
}

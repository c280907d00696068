import type { CopyPlan } from './copy-plan.ts';
import { S3Error } from './errors.ts';
import type { CallContext } from './gate.ts';
import { asEncodedWords, beyondAscii } from './encoded-metadata.ts';
import type { Header } from './encoded-metadata.ts';
import { headObject } from './operations/objects.ts';
import { getObjectTagging, taggingHeader } from './operations/tags.ts';
import type { ObjectTag } from './operations/tags.ts';
import { keptHeaders } from './object-headers.ts';
import type { ResponseHeaders } from './response-headers.ts';

/** What goes to the target with an object's bytes. */
export interface KeptFacts {
  headers: readonly Header[];
  /** Empty when the source has none, or when the target takes none. */
  tags: readonly ObjectTag[];
  /** Metadata beyond ASCII that was sent as it is, although nobody knows yet how the target takes it. */
  untried: readonly Header[];
}

/** The header of an upload did not suit the target; the run knows now, and the same object can be tried anew. */
export class HeaderRefusedError extends Error {
  override readonly name = 'HeaderRefusedError';
}

/** Headers and tags that the copy of an object keeps; asks for the tags when the source says that there are any. */
export async function keptFacts(
  plan: CopyPlan,
  key: string,
  source: ResponseHeaders,
  call: CallContext,
): Promise<KeptFacts> {
  const { rawMetadata } = plan.learned;
  const asTheyAre = keptHeaders(source);
  const untried = rawMetadata === null ? beyondAscii(asTheyAre) : [];
  const headers = rawMetadata === false ? asEncodedWords(asTheyAre) : [...asTheyAre];
  const storageClass = source.get('x-amz-storage-class');
  if (storageClass !== null && storageClass !== 'STANDARD') {
    if (plan.learned.storageClasses) headers.push(['x-amz-storage-class', storageClass]);
    else plan.learned.warn({ ...NOT_KEPT.storageClass, key });
  }
  const tags = (source.integer('x-amz-tagging-count') ?? 0) > 0 ? await tagsOf(plan, key, call) : [];
  if (tags.length > 0) headers.push(['x-amz-tagging', taggingHeader(tags)]);
  return { headers, tags, untried };
}

const NOT_KEPT = {
  tags: { code: 'tags-not-supported', message: 'the target stores no tags: copies are made without them' },
  unreadable: { code: 'tags-not-readable', message: 'tags of the source cannot be read: copies are made without them' },
  storageClass: {
    code: 'storage-class-not-supported',
    message: 'the target does not know the storage class of the source: copies get its default',
  },
} as const;

async function tagsOf(plan: CopyPlan, key: string, call: CallContext): Promise<readonly ObjectTag[]> {
  if (!plan.learned.tags) {
    plan.learned.warn({ ...NOT_KEPT.tags, key });
    return [];
  }
  try {
    return await getObjectTagging(plan.source.client, plan.source.bucket, key, call);
  } catch (error) {
    // Overwritten or deleted in between: the copy of its bytes will say so. All else would fail the object for its tags.
    if (!(error instanceof S3Error) || error.retryable || !UNREADABLE.has(error.status)) throw error;
    plan.learned.warn({ ...NOT_KEPT.unreadable, key });
    return [];
  }
}

const UNREADABLE = new Set([403, 405, 501]);

/**
 * Sends an upload with kept headers.
 * @throws HeaderRefusedError when the target refused one that can be left out.
 */
export async function withKeptFacts<T>(plan: CopyPlan, { headers }: KeptFacts, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof S3Error) || error.retryable) throw error;
    const sent = new Set(headers.map(([name]) => name));
    if (sent.has('x-amz-tagging') && error.status === 501) {
      plan.learned.tags = false;
      throw new HeaderRefusedError(error.message);
    }
    if (sent.has('x-amz-storage-class') && CLASS_REFUSALS.has(error.code)) {
      plan.learned.storageClasses = false;
      throw new HeaderRefusedError(error.message);
    }
    throw error;
  }
}

/** Ceph says InvalidArgument. */
const CLASS_REFUSALS = new Set(['InvalidStorageClass', 'InvalidArgument', 'NotImplemented']);

/**
 * Looks once per run how the target gave back metadata beyond ASCII.
 * @throws HeaderRefusedError when it garbles the bytes, so that they have to be sent as encoded words
 */
export async function requireMetadataKept(
  plan: CopyPlan,
  targetKey: string,
  { untried }: KeptFacts,
  call: CallContext,
): Promise<void> {
  if (untried.length === 0 || plan.learned.rawMetadata === true) return;
  const { headers } = await headObject(plan.target.client, plan.target.bucket, targetKey, call);
  plan.learned.rawMetadata = untried.every(([name, value]) => oneBlank(headers.get(name)) === oneBlank(value));
  if (!plan.learned.rawMetadata) throw new HeaderRefusedError('the target garbles metadata beyond ASCII');
}

/** Servers fold runs of blanks. */
function oneBlank(value: string | null): string | null {
  return value?.trim().replaceAll(/ +/g, ' ') ?? null;
}

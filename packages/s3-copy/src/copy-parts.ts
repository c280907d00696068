import { absorb } from './absorb.ts';
import { Admission } from './admission.ts';
import { copyError } from './copy-errors.ts';
import type { CopyPlan } from './copy-plan.ts';
import { S3Error } from './errors.ts';
import { isMultipartEtag, md5OfEtag, sameEtag } from './etag.ts';
import type { CallContext } from './gate.ts';
import { uploadPart, uploadPartCopy } from './operations/multipart.ts';
import type { StoredPart, Upload } from './operations/multipart.ts';
import { getObject, headObject } from './operations/objects.ts';
import type { ObjectFacts } from './operations/objects.ts';
import type { BodyStream } from './body-stream.ts';
import type { OrderedDigest } from './ordered-digest.ts';
import type { PartLayout } from './part-layout.ts';
import type { PartRange } from './plan-parts.ts';
import { withRetries } from './retry.ts';
import { digestOf, sendStream, verifiedBody } from './verified-body.ts';

/** An object on its way in parts. */
export interface PartsCopy {
  plan: CopyPlan;
  key: string;
  source: ObjectFacts & { sizeBytes: number };
  layout: PartLayout;
  upload: Upload;
  /** Parts that the upload had before, by number. */
  stored: ReadonlyMap<number, StoredPart>;
  /** MD5 of the whole object as it is read; null when there is nothing to compare it with. */
  whole: OrderedDigest | null;
  /** The server copies its own bytes; none come here. */
  within: boolean;
}

export interface CopiedPart {
  partNumber: number;
  etag: string;
  /** Null when neither the bytes nor the ETag told. */
  md5: Buffer | null;
}

/** Copies all parts, a few at a time; the first failure stops the others, and nothing is under way when this returns. */
export async function copyParts(copy: PartsCopy, call: CallContext): Promise<CopiedPart[]> {
  const { ranges } = copy.layout;
  const { cancellation, detach } = call.cancellation.child();
  const partCall: CallContext = { ...call, cancellation };
  const copied: CopiedPart[] = [];
  let failure: Error | null = null;
  let next = 0;
  const work = async (): Promise<void> => {
    for (let range = ranges[next++]; range !== undefined && failure === null; range = ranges[next++]) {
      try {
        copied.push(await copyPart(copy, range, partCall));
      } catch (error) {
        failure ??= error instanceof Error ? error : new Error(String(error));
        cancellation.cancel(failure);
      }
    }
  };
  const workers = Math.max(1, Math.min(copy.plan.tuning.partConcurrency, ranges.length));
  await Promise.all(Array.from({ length: workers }, work));
  detach();
  if (failure !== null) throw failure as Error;
  return copied.sort((left, right) => left.partNumber - right.partNumber);
}

async function copyPart(copy: PartsCopy, range: PartRange, call: CallContext): Promise<CopiedPart> {
  const { partNumber } = range;
  const stored = copy.stored.get(partNumber);
  if (stored !== undefined && isProvenByWhole(copy)) return partOf(partNumber, stored.etag);
  if (copy.within) return copyPartWithin(copy, range, call);
  const room = copy.whole?.room(partNumber, call.cancellation);
  if (room !== undefined) await room;
  if (stored !== undefined) {
    const same = await absorb(call, () => readStored(copy, range, stored, call));
    if (same !== null) return same;
  }
  return absorb(call, () => transferPart(copy, range, call));
}

/**
 * Whether the finished ETag will prove all parts, so that stored ones need not be read again: the source was made of
 * the same parts, and its ETag holds the MD5 of each.
 */
export function isProvenByWhole({ plan, layout, source }: Pick<PartsCopy, 'plan' | 'layout' | 'source'>): boolean {
  return layout.kept && plan.tuning.verifyEtags && isMultipartEtag(source.etag);
}

function partOf(partNumber: number, etag: string): CopiedPart {
  const md5 = md5OfEtag(etag);
  return { partNumber, etag, md5: md5 === null ? null : Buffer.from(md5, 'hex') };
}

async function copyPartWithin(copy: PartsCopy, range: PartRange, call: CallContext): Promise<CopiedPart> {
  const { plan, key, upload } = copy;
  const { partNumber, first, last } = range;
  const from = { bucket: plan.source.bucket, key };
  const send = (ifMatch: string | null): Promise<string> =>
    absorb(call, () => uploadPartCopy(plan.target.client, upload, { partNumber, from, first, last, ifMatch }, call));
  const etag = await send(plan.learned.copyConditions ? pinned(copy) : null).catch(async (error: unknown) => {
    if (!(error instanceof S3Error) || error.code !== 'PreconditionFailed') throw error;
    // The server's word alone is not enough: some compare with an ETag that they show to nobody.
    await requireUnchanged(copy, call);
    plan.learned.copyConditions = false;
    return send(null);
  });
  if (etag === '') throw copyError(plan, 'UploadPartCopy', upload.key, 'incomplete-response', 'no ETag came');
  return partOf(partNumber, etag);
}

/** Compares a stored part with its source by reading the latter; null when it has to be sent again. */
async function readStored(
  copy: PartsCopy,
  range: PartRange,
  stored: StoredPart,
  call: CallContext,
): Promise<CopiedPart | null> {
  const { client } = copy.plan.source;
  return withRetries(client.retry, client.clock, call, async (attempt) => {
    const chunks: Buffer[] = [];
    const stream = await openPart(copy, range, call, attempt);
    const { md5 } = await digestOf(stream, call.traffic, (chunk) => {
      if (copy.whole !== null) chunks.push(chunk);
    });
    if (md5OfEtag(stored.etag) !== md5.toString('hex')) return null;
    copy.whole?.add(range.partNumber, chunks);
    return { partNumber: range.partNumber, etag: stored.etag, md5 };
  });
}

/** Brings a part from the source to the target. */
async function transferPart(copy: PartsCopy, range: PartRange, call: CallContext): Promise<CopiedPart> {
  const { plan, upload, whole } = copy;
  const { client } = plan.source;
  const { partNumber } = range;
  const bytes = range.last - range.first + 1;
  const admission = new Admission(call, 'UploadPart');
  return withRetries(client.retry, client.clock, call, async (attempt) => {
    // Before the GET: were the upload parked or paused after it, the source would close the open body.
    const parked = admission.take(attempt);
    if (parked !== undefined) await parked;
    const stream = await openPart(copy, range, call, attempt);
    const chunks: Buffer[] = [];
    const body = verifiedBody(
      stream,
      call.traffic,
      whole === null ? {} : { onChunk: (chunk) => void chunks.push(chunk) },
    );
    const part = { partNumber, body: { type: 'stream', chunks: body.chunks, bytes } as const };
    const etag = await sendStream(stream, () =>
      uploadPart(plan.target.client, upload, part, call, attempt, admission.spend()),
    );
    const { md5 } = body.digest();
    checkPart(copy, etag, md5);
    whole?.add(partNumber, chunks);
    return { partNumber, etag, md5 };
  });
}

/** Opens the bytes of one part, and of the object that HEAD described. @throws S3Error `source-changed` */
async function openPart(copy: PartsCopy, range: PartRange, call: CallContext, attempt: number): Promise<BodyStream> {
  const { plan, key } = copy;
  const { client, bucket } = plan.source;
  const ifMatch = pinned(copy);
  const request = { bucket, key, range, ...(ifMatch === null ? {} : { ifMatch }) };
  const part = await getObject(client, request, call, attempt).catch((error: unknown) => {
    throw asSourceChanged(copy, error);
  });
  const { stream } = part;
  if (stream === null) throw copyError(plan, 'GetObject', key, 'incomplete-response', 'the part came without a body');
  const bytes = range.last - range.first + 1;
  if (part.status !== 206 || part.sizeBytes !== bytes) {
    stream.destroy(new Error('not wanted'));
    const message = `status ${part.status} with ${part.sizeBytes ?? 'unknown'} instead of ${bytes} bytes`;
    throw copyError(plan, 'GetObject', key, 'range-not-honoured', message);
  }
  return stream;
}

/** Weak ETags never match, and some gateways send none. */
function pinned({ source }: PartsCopy): string | null {
  return /^"?[^"/]+"?$/.test(source.etag) ? source.etag : null;
}

function asSourceChanged({ plan, key }: PartsCopy, error: unknown): unknown {
  if (!(error instanceof S3Error) || error.code !== 'PreconditionFailed') return error;
  return sourceChanged(plan, key);
}

/** @throws S3Error `source-changed` unless the source is still the object that HEAD described */
export async function requireUnchanged({ plan, key, source }: PartsCopy, call: CallContext): Promise<void> {
  const { client, bucket } = plan.source;
  const now = await headObject(client, bucket, key, call);
  if (!sameEtag(now.etag, source.etag) || now.sizeBytes !== source.sizeBytes) throw sourceChanged(plan, key);
}

/** The object is no longer the one that HEAD described: begin anew. */
function sourceChanged(plan: CopyPlan, key: string): S3Error {
  return copyError(plan, 'GetObject', key, 'source-changed', 'the object was overwritten while it was copied');
}

/** @throws S3Error `checksum-mismatch`, which is worth another attempt. */
function checkPart(copy: PartsCopy, etag: string, md5: Buffer): void {
  const expected = md5.toString('hex');
  const stored = md5OfEtag(etag);
  if (etag === '') throw copyError(copy.plan, 'UploadPart', copy.upload.key, 'incomplete-response', 'no ETag came');
  if (!copy.plan.tuning.verifyEtags || stored === null || stored === expected) return;
  const message = `the target stored a part with MD5 ${stored} instead of ${expected}`;
  throw copyError(copy.plan, 'UploadPart', copy.upload.key, 'checksum-mismatch', message);
}

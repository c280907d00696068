import { hash } from 'node:crypto';
import { Admission } from './admission.ts';
import { BodyDigest, judgeRead, keptChecksum } from './body-digest.ts';
import type { DigestedBody } from './body-digest.ts';
import { copyError } from './copy-errors.ts';
import type { CopyItem, CopyOutcome, CopyPlan } from './copy-plan.ts';
import { etagIsOpaque, md5OfEtag } from './etag.ts';
import type { CallContext } from './gate.ts';
import { keptFacts, requireMetadataKept, withKeptFacts } from './kept-facts.ts';
import type { KeptFacts } from './kept-facts.ts';
import type { Verification } from './manifest.ts';
import { getObject, putObject } from './operations/objects.ts';
import type { FetchedObject } from './operations/objects.ts';
import type { ResponseHeaders } from './response-headers.ts';
import { withRetries } from './retry.ts';
import { sendStream, verifiedBody } from './verified-body.ts';

/** One object on its way with one GET and one PUT. */
interface SingleCopy {
  plan: CopyPlan;
  item: CopyItem;
  targetKey: string;
  call: CallContext;
  put: Admission;
}

/** A small object in memory, and what the target is to store with it. */
interface HeldObject {
  bytes: Buffer;
  md5: Buffer;
  verified: Verification;
  kept: KeptFacts;
}

/**
 * Copies an object with one GET and one PUT, and one request more when it has tags. The PUT waits at the gate before the
 * GET is sent: parked for half a minute with an open GET, the source would close it.
 * @throws HeaderRefusedError when the object should be tried anew without a header that the target refused.
 */
export async function copySingle(
  plan: CopyPlan,
  item: CopyItem,
  targetKey: string,
  call: CallContext,
): Promise<CopyOutcome> {
  const { client, bucket } = plan.source;
  const copy: SingleCopy = { plan, item, targetKey, call, put: new Admission(call, 'PutObject') };
  // An ETag that is an MD5 says all; where the listing shows another one, the source may keep a checksum besides.
  const checksum = item.etag !== null && md5OfEtag(item.etag) === null;
  const { bufferUpToBytes } = plan.tuning;
  const fetched = await withRetries(client.retry, client.clock, call, async (attempt) => {
    const parked = copy.put.take(attempt);
    if (parked !== undefined) await parked;
    const object = await getObject(client, { bucket, key: item.key, bufferUpToBytes, checksum }, call, attempt);
    return object.stream === null ? hold(copy, object) : putStreamed(copy, object, attempt);
  });
  return 'type' in fetched ? fetched : putHeld(copy, fetched);
}

/** Checks an object that came whole. @throws S3Error `checksum-mismatch` */
async function hold(copy: SingleCopy, object: FetchedObject): Promise<HeldObject> {
  const { plan, item, call } = copy;
  const { bytes } = object;
  call.traffic.bytesRead += bytes.length;
  const checksum = keptChecksum(object.headers);
  let digest: DigestedBody;
  if (checksum === null) {
    digest = { md5: hash('md5', bytes, 'buffer'), checksum };
  } else {
    const all = new BodyDigest(checksum);
    all.update(bytes);
    digest = all.end();
  }
  const verified = checkRead(copy, object, digest);
  return { bytes, md5: digest.md5, verified, kept: await keptFacts(plan, item.key, object.headers, call) };
}

/** Sends an object from memory; a retry needs no second GET. */
async function putHeld(copy: SingleCopy, { bytes, md5, verified, kept }: HeldObject): Promise<CopyOutcome> {
  const { plan, targetKey: key, call } = copy;
  const { client, bucket } = plan.target;
  const headers = [...kept.headers, ['content-md5', md5.toString('base64')] as const];
  const body = { type: 'bytes', bytes } as const;
  const outcome = await withRetries(client.retry, client.clock, call, async (attempt) => {
    const request = { bucket, key, headers, body };
    const put = await withKeptFacts(plan, kept, () => putObject(client, request, call, attempt, copy.put.spend()));
    call.traffic.bytesWritten += bytes.length;
    return outcomeOf(copy, put, { md5, bytes: bytes.length, verified, md5Announced: true });
  });
  await requireMetadataKept(plan, key, kept, call);
  return outcome;
}

/** Sends an object while it comes in. */
async function putStreamed(copy: SingleCopy, object: FetchedObject, attempt: number): Promise<CopyOutcome> {
  const { plan, item, targetKey: key, call } = copy;
  const { client, bucket } = plan.target;
  const { stream, sizeBytes } = object;
  if (stream === null || sizeBytes === null) {
    stream?.destroy(new Error('not wanted'));
    throw copyError(plan, 'GetObject', item.key, 'missing-content-length', 'the source does not say how long it is');
  }
  let verified: Verification = 'size';
  const body = verifiedBody(stream, call.traffic, {
    checksum: keptChecksum(object.headers),
    check: (digest) => {
      verified = checkRead(copy, object, digest);
    },
  });
  const { put, kept } = await sendStream(stream, async () => {
    const facts = await keptFacts(plan, item.key, object.headers, call);
    const chunks = { type: 'stream', chunks: body.chunks, bytes: sizeBytes } as const;
    const request = { bucket, key, headers: facts.headers, body: chunks };
    const stored = await withKeptFacts(plan, facts, () => putObject(client, request, call, attempt, copy.put.spend()));
    return { put: stored, kept: facts };
  });
  const outcome = outcomeOf(copy, put, {
    md5: body.digest().md5,
    bytes: sizeBytes,
    verified,
    md5Announced: false,
  });
  await requireMetadataKept(plan, key, kept, call);
  return outcome;
}

/** @throws S3Error `checksum-mismatch` when what was read is not what the source says it is. */
function checkRead({ plan, item }: SingleCopy, object: FetchedObject, digest: DigestedBody): Verification {
  const judged = judgeRead(digest, object, plan.tuning.verifyEtags);
  if ('verified' in judged) return judged.verified;
  throw copyError(plan, 'GetObject', item.key, 'checksum-mismatch', judged.mismatch);
}

/** @throws S3Error `checksum-mismatch` when the target stored something else than what was sent. */
function outcomeOf(
  { plan, targetKey }: SingleCopy,
  put: { etag: string; headers: ResponseHeaders },
  sent: { md5: Buffer; bytes: number; verified: Verification; md5Announced: boolean },
): CopyOutcome {
  const { bytes, verified } = sent;
  const actual = plan.tuning.verifyEtags && !etagIsOpaque(put.headers) ? md5OfEtag(put.etag) : null;
  const expected = sent.md5.toString('hex');
  if (actual !== null && actual !== expected) {
    throw copyError(plan, 'PutObject', targetKey, 'checksum-mismatch', `MD5 ${actual} instead of ${expected}`);
  }
  // The target refuses a body whose announced MD5 is another one. Without both, only the number of bytes is certain.
  const acknowledged = actual !== null || sent.md5Announced;
  return { type: 'copied', bytes, etag: put.etag, verified: acknowledged ? verified : 'size' };
}

import { hash } from 'node:crypto';
import type { CopyItem, CopyPlan } from './copy-plan.ts';
import { S3Error } from './errors.ts';
import { etagIsOpaque, md5OfEtag } from './etag.ts';
import { admit } from './gate.ts';
import type { CallContext, S3Operation } from './gate.ts';
import { keptHeaders } from './object-headers.ts';
import { getObject, putObject } from './operations/objects.ts';
import type { FetchedObject } from './operations/objects.ts';
import { withRetries } from './retry.ts';
import { verifiedBody } from './verified-body.ts';

/**
 * Copies an object with one GET and one PUT. The PUT waits at the gate before the GET is sent: parked for half a
 * minute with an open GET, the source would close it. Returns the bytes copied.
 */
export async function copySingle(
  plan: CopyPlan,
  item: CopyItem,
  targetKey: string,
  call: CallContext,
): Promise<number> {
  const { client } = plan.source;
  const fetched = await withRetries(client.retry, client.clock, call, async (attempt) => {
    const parked = admit(call, 'PutObject', attempt);
    if (parked !== undefined) await parked;
    const object = await getObject(
      client,
      { bucket: plan.source.bucket, key: item.key, bufferUpToBytes: plan.tuning.bufferUpToBytes },
      call,
      attempt,
    );
    if (object.stream !== null) return { bytes: await putStreamed(plan, item, targetKey, object, call, attempt) };
    call.traffic.bytesRead += object.bytes.length;
    const md5 = hash('md5', object.bytes, 'buffer');
    checkMd5(plan, 'GetObject', item.key, object, md5);
    return { object, md5 };
  });
  if ('bytes' in fetched) return fetched.bytes;
  return putBuffered(plan, targetKey, fetched.object, fetched.md5, call);
}

/** Sends an object from memory; a retry needs no second GET. */
async function putBuffered(
  plan: CopyPlan,
  targetKey: string,
  object: FetchedObject,
  md5: Buffer,
  call: CallContext,
): Promise<number> {
  const { client, bucket } = plan.target;
  const headers = [...keptHeaders(object.headers), ['content-md5', md5.toString('base64')] as const];
  const body = { type: 'bytes', bytes: object.bytes } as const;
  await withRetries(client.retry, client.clock, call, async (attempt) => {
    const admitted = attempt === 0;
    const put = await putObject(client, { bucket, key: targetKey, headers, body }, call, attempt, { admitted });
    call.traffic.bytesWritten += object.bytes.length;
    checkMd5(plan, 'PutObject', targetKey, put, md5);
  });
  return object.bytes.length;
}

/** Sends an object while it comes in. */
async function putStreamed(
  plan: CopyPlan,
  item: CopyItem,
  targetKey: string,
  object: FetchedObject,
  call: CallContext,
  attempt: number,
): Promise<number> {
  const { stream, sizeBytes } = object;
  if (stream === null || sizeBytes === null) {
    stream?.destroy(new Error('not wanted'));
    throw copyError(plan, 'GetObject', item.key, 'missing-content-length', 'the source does not say how long it is');
  }
  const body = verifiedBody(stream, call.traffic, (md5) => checkMd5(plan, 'GetObject', item.key, object, md5));
  const put = await sendStream(stream, () =>
    putObject(
      plan.target.client,
      {
        bucket: plan.target.bucket,
        key: targetKey,
        headers: keptHeaders(object.headers),
        body: { type: 'stream', chunks: body.chunks, bytes: sizeBytes },
      },
      call,
      attempt,
      { admitted: true },
    ),
  );
  checkMd5(plan, 'PutObject', targetKey, put, body.md5());
  return sizeBytes;
}

/**
 * Sends what a stream brings. When both sides fail, the source's error is the cause and the target's its consequence;
 * when only the target fails, the source is told to stop.
 */
export async function sendStream<T>(
  stream: { destroy(reason: Error): void; readonly failure: Error | null },
  send: () => Promise<T>,
): Promise<T> {
  try {
    return await send();
  } catch (error) {
    const cause = stream.failure ?? error;
    stream.destroy(error instanceof Error ? error : new Error(String(error)));
    throw cause;
  }
}

/** @throws S3Error `checksum-mismatch` when an ETag is an MD5 and another one than that of the bytes. */
function checkMd5(
  plan: CopyPlan,
  operation: S3Operation,
  key: string,
  object: { etag: string; headers: FetchedObject['headers'] },
  md5: Buffer,
): void {
  const expected = md5OfEtag(object.etag);
  const actual = md5.toString('hex');
  if (!plan.tuning.verifyEtags || expected === null || expected === actual || etagIsOpaque(object.headers)) return;
  throw copyError(plan, operation, key, 'checksum-mismatch', `MD5 ${actual} instead of ${expected}`);
}

/** An error that no server sent. */
export function copyError(plan: CopyPlan, operation: S3Operation, key: string, code: string, message: string): S3Error {
  const fromSource = operation === 'GetObject' || operation === 'HeadObject';
  const { bucket } = fromSource ? plan.source : plan.target;
  return new S3Error({ code, message, status: 0, operation, bucket, key, requestId: null });
}

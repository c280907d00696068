import { createHash } from 'node:crypto';
import {
  callContext,
  completeMultipartUpload,
  createBucket,
  createMultipartUpload,
  getObject,
  listPages,
  pageFetcher,
  putObject,
  S3Client,
  uploadPart,
  type UploadedPart,
} from '@weir/s3-copy';
import type { S3TestServer } from '@weir/testkit/s3';

const call = callContext();

function clientOf(server: S3TestServer): S3Client {
  const { url, region, accessKeyId, secretAccessKey } = server;
  return new S3Client({ url, region, credentials: { accessKeyId, secretAccessKey } });
}

export async function makeBucket(server: S3TestServer, bucket: string): Promise<void> {
  const client = clientOf(server);
  await createBucket(client, bucket, call);
  await client.close();
}

/** Writes objects `k/0000` … of a few bytes each, all different. */
export async function fill(server: S3TestServer, bucket: string, count: number): Promise<void> {
  const client = clientOf(server);
  const width = String(count).length;
  const keys = Array.from({ length: count }, (_, index) => `k/${String(index).padStart(width, '0')}`);
  while (keys.length > 0) {
    await Promise.all(
      keys.splice(0, 64).map((key) => putWhole(client, bucket, key, Buffer.from(`content of ${key}`.repeat(20)))),
    );
  }
  await client.close();
}

/** Writes one object with one request. */
export async function putWhole(client: S3Client, bucket: string, key: string, bytes: Buffer): Promise<void> {
  await putObject(client, { bucket, key, body: { type: 'bytes', bytes }, headers: [] }, call, 0, { admitted: true });
}

/** Writes one object in parts, so that its ETag is made of theirs. */
export async function putInParts(
  client: S3Client,
  { bucket, key, bytes, partBytes }: { bucket: string; key: string; bytes: Buffer; partBytes: number },
): Promise<void> {
  const upload = await createMultipartUpload(client, { bucket, key, headers: [] }, call);
  const parts: UploadedPart[] = [];
  for (let first = 0; first < bytes.length; first += partBytes) {
    const partNumber = parts.length + 1;
    const body = { type: 'bytes', bytes: bytes.subarray(first, first + partBytes) } as const;
    parts.push({ partNumber, etag: await uploadPart(client, upload, { partNumber, body }, call, 0) });
  }
  await completeMultipartUpload(client, upload, parts, call);
}

/** Every key of a bucket with the hash of its content. */
export async function contentsOf(server: S3TestServer, bucket: string): Promise<Map<string, string>> {
  const client = clientOf(server);
  const contents = new Map<string, string>();
  for await (const page of listPages(pageFetcher(client, call), { bucket, prefix: '' })) {
    const hashes = await Promise.all(
      page.map(async ({ key }) => {
        const { bytes, stream } = await getObject(client, { bucket, key, bufferUpToBytes: 10_000_000 }, call, 0);
        // What is larger comes as a stream.
        const hash = createHash('sha256').update(bytes);
        for await (const chunk of stream ?? []) hash.update(chunk);
        return [key, hash.digest('hex')] as const;
      }),
    );
    for (const [key, hash] of hashes) contents.set(key, hash);
  }
  await client.close();
  return contents;
}

import { createHash } from 'node:crypto';
import { callContext, createBucket, getObject, listPages, pageFetcher, putObject, S3Client } from '@weir/s3-copy';
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
      keys.splice(0, 64).map((key) => {
        const body = { type: 'bytes', bytes: Buffer.from(`content of ${key}`.repeat(20)) } as const;
        return putObject(client, { bucket, key, body, headers: [] }, call, 0, { admitted: true });
      }),
    );
  }
  await client.close();
}

/** Every key of a bucket with the hash of its content. */
export async function contentsOf(server: S3TestServer, bucket: string): Promise<Map<string, string>> {
  const client = clientOf(server);
  const contents = new Map<string, string>();
  for await (const page of listPages(pageFetcher(client, call), { bucket, prefix: '' })) {
    const hashes = await Promise.all(
      page.map(async ({ key }) => {
        const { bytes } = await getObject(client, { bucket, key, bufferUpToBytes: 10_000_000 }, call, 0);
        return [key, createHash('sha256').update(bytes).digest('hex')] as const;
      }),
    );
    for (const [key, hash] of hashes) contents.set(key, hash);
  }
  await client.close();
  return contents;
}

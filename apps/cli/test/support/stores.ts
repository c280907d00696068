import { callContext, createBucket, listMultipartUploads, listPages, pageFetcher, S3Client } from '@weir/s3-copy';
import type { S3TestServer } from '@weir/testkit/s3';

/** A store of a test, as a user of it sees it. */
export class Store {
  readonly url: string;
  readonly #server: S3TestServer;
  readonly #client: S3Client;

  /**
   * @param server must be the store itself and no proxy of it, so that looking at it is not counted.
   * @param maxAttempts 1: what the store refuses is refused.
   */
  constructor(server: S3TestServer, maxAttempts = 6) {
    const { url, region, accessKeyId, secretAccessKey } = server;
    this.url = url;
    this.#server = server;
    this.#client = new S3Client({ url, region, credentials: { accessKeyId, secretAccessKey }, retry: { maxAttempts } });
  }

  async makeBucket(bucket: string): Promise<void> {
    await createBucket(this.#client, bucket, callContext());
  }

  async put(bucket: string, key: string, content: string | Buffer): Promise<void> {
    const body = { type: 'bytes', bytes: Buffer.from(content) } as const;
    await this.#client.send({ operation: 'PutObject', method: 'PUT', bucket, key, body }, callContext());
  }

  /** `count` objects of which each has other content. */
  async fill(bucket: string, count: number, bytes = 20): Promise<void> {
    await this.makeBucket(bucket);
    for (let from = 0; from < count; from += 50) {
      const some = Array.from({ length: Math.min(50, count - from) }, (_, index) => from + index);
      await Promise.all(
        some.map((index) => {
          const name = String(index).padStart(5, '0');
          return this.put(bucket, `data/${name}`, Buffer.alloc(bytes, `${name} `));
        }),
      );
    }
  }

  /** ETag and size of every object, by key. */
  async objects(bucket: string): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    const pages = listPages(pageFetcher(this.#client, callContext()), { bucket, prefix: '' });
    for await (const page of pages) {
      for (const { key, etag, sizeBytes } of page) found.set(key, `${etag} ${sizeBytes}`);
    }
    return found;
  }

  /** Keys of uploads that are neither completed nor aborted. */
  async openUploads(bucket: string): Promise<string[]> {
    const uploads = await listMultipartUploads(this.#client, { bucket, prefix: '' }, callContext());
    return uploads.map(({ key }) => key);
  }

  /** Flags that lead `weir copy` to it, perhaps by a proxy. */
  flags(side: 'source' | 'target', url: string = this.url): string[] {
    const { accessKeyId, secretAccessKey } = this.#server;
    return [`--${side}-url`, url, `--${side}-access-key`, accessKeyId, `--${side}-secret-key`, secretAccessKey];
  }

  async close(): Promise<void> {
    await this.#client.close();
  }
}

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import type { RgwServer } from '@weir/testkit/s3';
import { Client } from 'minio';
import type { Account, Route } from './contestants.ts';

const run = promisify(execFile);
const SEEDED_AT_ONCE = 32;
const CHUNK = Buffer.alloc(1024 * 1024, 'weir');

/** Objects to copy: how many of which size. */
export interface Dataset {
  readonly name: string;
  readonly objects: number;
  readonly bytes: number;
  readonly concurrency: number;
}

/** The server with two accounts, one for each side. */
export class CopyStore {
  readonly #server: RgwServer;
  readonly #target: Account;
  readonly #source: Client;
  #buckets = 0;

  private constructor(server: RgwServer, target: Account) {
    this.#server = server;
    this.#target = target;
    this.#source = clientOf(server.port, server);
  }

  static async open(server: RgwServer): Promise<CopyStore> {
    return new CopyStore(server, await server.createUser('target'));
  }

  /** Fills a bucket of the source's account, and returns its name. */
  async seed(dataset: Dataset): Promise<string> {
    const bucket = `source-${(this.#buckets += 1)}`;
    await this.#source.makeBucket(bucket);
    let next = 0;
    const worker = async (): Promise<void> => {
      for (let index = next; index < dataset.objects; index = next) {
        next += 1;
        await this.#source.putObject(
          bucket,
          `data/${String(index).padStart(8, '0')}`,
          content(dataset.bytes),
          dataset.bytes,
        );
      }
    };
    await Promise.all(Array.from({ length: SEEDED_AT_ONCE }, worker));
    return bucket;
  }

  /** A route to a new bucket of the target's account. */
  async route(sourceBucket: string, concurrency: number): Promise<Route> {
    const bucket = `target-${(this.#buckets += 1)}`;
    await clientOf(this.#server.port, this.#target).makeBucket(bucket);
    const { port, accessKeyId, secretAccessKey } = this.#server;
    return {
      port,
      source: { accessKeyId, secretAccessKey, bucket: sourceBucket },
      target: { ...this.#target, bucket },
      concurrency,
    };
  }

  /** @throws Error unless the target has all objects in their whole size */
  async check({ target }: Route, dataset: Dataset): Promise<void> {
    let objects = 0;
    let bytes = 0;
    const listing: AsyncIterable<{ size?: number }> = clientOf(this.#server.port, target).listObjectsV2(
      target.bucket,
      '',
      true,
    );
    for await (const { size } of listing) {
      objects += 1;
      bytes += size ?? 0;
    }
    if (objects !== dataset.objects || bytes !== dataset.objects * dataset.bytes) {
      throw new Error(`a contestant copied ${objects} objects with ${bytes} bytes of "${dataset.name}"`);
    }
  }

  /** Removes a bucket and frees its memory at once; the server's own way would do that hours later. */
  async remove(bucket: string): Promise<void> {
    const identity = ['-c', join(this.#server.dir, 'ceph.conf'), '-n', 'client.rgw'];
    await run('radosgw-admin', [...identity, 'bucket', 'rm', `--bucket=${bucket}`, '--purge-objects', '--bypass-gc']);
  }
}

function clientOf(port: number, { accessKeyId, secretAccessKey }: Account): Client {
  const options = { endPoint: '127.0.0.1', port, useSSL: false, partSize: 16 * 1024 * 1024 };
  return new Client({ ...options, accessKey: accessKeyId, secretKey: secretAccessKey });
}

function content(bytes: number): Buffer | Readable {
  if (bytes <= CHUNK.length) return CHUNK.subarray(0, bytes);
  const chunks = function* (): Generator<Buffer> {
    for (let left = bytes; left > 0; left -= CHUNK.length) yield CHUNK.subarray(0, Math.min(left, CHUNK.length));
  };
  return Readable.from(chunks());
}

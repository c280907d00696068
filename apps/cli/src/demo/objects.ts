import { createHash } from 'node:crypto';
import {
  callContext,
  type CallContext,
  completeMultipartUpload,
  createBucket,
  createMultipartUpload,
  getObject,
  listPages,
  pageFetcher,
  putObject,
  S3Client,
  type UploadedPart,
  uploadPart,
} from '@weir/s3-copy';
import { demoContent, type DemoObject } from './dataset.ts';

/** What reaches one S3 server. */
export interface S3Access {
  url: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/** Objects written or read at once. */
const CONCURRENCY = 32;
/** Objects above this are written in parts of this size, as any client would. */
const PART_BYTES = 16 * 1_024 * 1_024;

/** A client for one server of the demo. */
export function openS3({ url, region, accessKeyId, secretAccessKey }: S3Access): S3Client {
  return new S3Client({ url, region, credentials: { accessKeyId, secretAccessKey } });
}

/** Writes the objects into a new bucket; `onObject` is told after each. */
export async function seedBucket(
  client: S3Client,
  bucket: string,
  objects: Iterable<DemoObject>,
  onObject: (object: DemoObject) => void,
): Promise<void> {
  const call = callContext();
  await createBucket(client, bucket, call);
  await inParallel(objects, async (object) => {
    const content = demoContent(object);
    if (content.length > PART_BYTES) await putInParts(client, bucket, object.key, content, call);
    else {
      const headers = [['content-type', 'application/octet-stream'] as const];
      const body = { type: 'bytes', bytes: content } as const;
      await putObject(client, { bucket, key: object.key, body, headers }, call, 0, { admitted: false });
    }
    onObject(object);
  });
}

async function putInParts(
  client: S3Client,
  bucket: string,
  key: string,
  content: Buffer,
  call: CallContext,
): Promise<void> {
  const upload = await createMultipartUpload(client, { bucket, key, headers: [] }, call);
  const parts: UploadedPart[] = [];
  for (let offset = 0; offset < content.length; offset += PART_BYTES) {
    const partNumber = parts.length + 1;
    const body = { type: 'bytes', bytes: content.subarray(offset, offset + PART_BYTES) } as const;
    parts.push({ partNumber, etag: await uploadPart(client, upload, { partNumber, body }, call, 0) });
  }
  await completeMultipartUpload(client, upload, parts, call);
}

/** A prefix of a bucket. */
export interface Place {
  client: S3Client;
  bucket: string;
  prefix: string;
}

/** How two places differ: nothing in any list means equal. */
export interface Difference {
  missing: string[];
  unexpected: string[];
  different: string[];
  objects: number;
  bytes: number;
}

/**
 * Compares every object of two places byte by byte (by SHA-256 of what a GET really returns, not by what a server says).
 * Holds both listings in memory: for the demo's amounts.
 */
export async function comparePlaces(
  source: Place,
  target: Place,
  onObject: () => void = () => undefined,
): Promise<Difference> {
  const [wanted, found] = await Promise.all([listAll(source), listAll(target)]);
  const difference: Difference = {
    missing: [...wanted.keys()].filter((name) => !found.has(name)),
    unexpected: [...found.keys()].filter((name) => !wanted.has(name)),
    different: [],
    objects: wanted.size,
    bytes: [...wanted.values()].reduce((sum, sizeBytes) => sum + sizeBytes, 0),
  };
  await inParallel(wanted.keys(), async (name) => {
    if (!found.has(name)) return;
    const [left, right] = await Promise.all([digest(source, name), digest(target, name)]);
    if (left !== right) difference.different.push(name);
    onObject();
  });
  return difference;
}

/** Sizes of all objects of a place, by their name after the prefix. */
async function listAll({ client, bucket, prefix }: Place): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for await (const page of listPages(pageFetcher(client, callContext()), { bucket, prefix })) {
    for (const { key, sizeBytes } of page) sizes.set(key.slice(prefix.length), sizeBytes);
  }
  return sizes;
}

async function digest({ client, bucket, prefix }: Place, name: string): Promise<string> {
  const fetched = await getObject(client, { bucket, key: prefix + name }, callContext(), 0);
  const hash = createHash('sha256');
  if (fetched.stream === null) hash.update(fetched.bytes);
  else for await (const chunk of fetched.stream) hash.update(chunk);
  return hash.digest('hex');
}

async function inParallel<T>(items: Iterable<T>, run: (item: T) => Promise<void>): Promise<void> {
  const iterator = items[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (let next = iterator.next(); next.done !== true; next = iterator.next()) await run(next.value);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}

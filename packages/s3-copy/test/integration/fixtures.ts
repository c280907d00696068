import { randomBytes } from 'node:crypto';
import type { S3TestServer } from '@weir/testkit/s3';
import { S3Client, callContext, putObject } from '../../src/index.ts';
import type { S3ClientOptions } from '../../src/index.ts';

type Access = Pick<S3TestServer, 'url' | 'region' | 'accessKeyId' | 'secretAccessKey'>;

/** Options of our client for a test server, or for a proxy before it. */
export function optionsFor(server: Access, more: Partial<S3ClientOptions> = {}): S3ClientOptions {
  const { url, region, accessKeyId, secretAccessKey } = server;
  return { url, region, credentials: { accessKeyId, secretAccessKey }, ...more };
}

export function clientFor(server: Access, more: Partial<S3ClientOptions> = {}): S3Client {
  return new S3Client(optionsFor(server, more));
}

/** Stores one object. */
export async function put(
  client: S3Client,
  bucket: string,
  key: string,
  bytes: Buffer | string,
  headers: readonly (readonly [string, string])[] = [],
): Promise<void> {
  const body = { type: 'bytes', bytes: Buffer.from(bytes) } as const;
  await putObject(client, { bucket, key, headers, body }, callContext(), 0, { admitted: true });
}

/** Stores many objects, 32 at a time. */
export async function putMany(
  client: S3Client,
  bucket: string,
  count: number,
  object: (index: number) => { key: string; bytes: Buffer | string },
): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) {
      const { key, bytes } = object(index);
      await put(client, bucket, key, bytes);
    }
  };
  await Promise.all(Array.from({ length: 32 }, work));
}

/** Bytes that no two parts of an object share. */
export function noise(bytes: number): Buffer {
  const seed = randomBytes(Math.min(bytes, 1024 * 1024));
  const noise = Buffer.alloc(bytes, seed);
  for (let at = 0; at + 8 <= bytes; at += 1024 * 1024) noise.writeBigUInt64LE(BigInt(at), at);
  return noise;
}

export const MIB = 1024 * 1024;

/** Keys that went wrong elsewhere; each is legal in S3. */
export const ODD_KEYS: readonly string[] = [
  '//double//slash',
  '/leading',
  'trailing/',
  'folder/',
  '../up',
  './here',
  'a/../b',
  'a/./b',
  '...',
  '+ %&?#',
  'a+b c%20d%2Fe',
  '%',
  '%zz',
  '100%',
  `"quotes' and \`ticks\``,
  'semi;colon,comma:colon@at$dollar!bang*star(paren)',
  '<tag attr="1">&amp;</tag>',
  '[brackets]{braces}|pipe\\backslash^caret~tilde',
  'é',
  'e\u0301',
  'Привет/мир',
  '漢字/かな',
  '😀/🏴\u200d☠️',
  '\uffee\ue000',
  '\u0001control\u001f\u007f',
  'new\nline\r\ttab',
  ' leading space and trailing space ',
  'x'.repeat(1024),
  'é'.repeat(512),
];

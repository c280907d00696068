import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { S3TestServer } from '@weir/testkit/s3';

const run = promisify(execFile);

type Access = Pick<S3TestServer, 'url' | 'region' | 'accessKeyId' | 'secretAccessKey'>;

/** Amazon's command line client (botocore, in Python) on a test server: a reader that shares no code with ours. */
export async function awsS3Api(server: Access, ...command: string[]): Promise<unknown> {
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: process.env['HOME'] ?? '',
    // Nothing of this machine's own set-up.
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_PAGER: '',
    AWS_ACCESS_KEY_ID: server.accessKeyId,
    AWS_SECRET_ACCESS_KEY: server.secretAccessKey,
    AWS_DEFAULT_REGION: server.region,
    LC_ALL: 'C.UTF-8',
    PYTHONUTF8: '1',
  };
  const args = ['--endpoint-url', server.url, '--output', 'json', 's3api', ...command];
  const { stdout } = await run('aws', args, { env, maxBuffer: 64 * 1024 * 1024 });
  return stdout.trim() === '' ? {} : JSON.parse(stdout);
}

/** Key → size and ETag of every object, as Amazon's client lists them. */
export async function awsListing(server: Access, bucket: string): Promise<Map<string, string>> {
  const answer = await awsS3Api(server, 'list-objects-v2', '--bucket', bucket);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the documented form of its output
  const { Contents = [] } = answer as { Contents?: { Key: string; Size: number; ETag: string }[] };
  return new Map(Contents.map(({ Key, Size, ETag }) => [Key, `${Size} ${ETag}`]));
}

/** What HEAD says of one object, without dates and server-specific fields. */
export async function awsHead(server: Access, bucket: string, key: string): Promise<Record<string, unknown>> {
  const answer = await awsS3Api(server, 'head-object', '--bucket', bucket, '--key', key);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the documented form of its output
  const head = answer as Record<string, unknown>;
  const kept = ['ContentLength', 'ContentType', 'CacheControl', 'ContentDisposition', 'ContentEncoding'];
  const headers = Object.fromEntries([...kept, 'ContentLanguage'].map((name) => [name, head[name]]));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the documented form of its output
  const metadata = Object.entries((head['Metadata'] ?? {}) as Record<string, string>);
  return { ...headers, metadata: Object.fromEntries(metadata.map(([name, value]) => [name, textOf(value)])) };
}

/** Metadata as text: servers give it as encoded words (RFC 2047) or as bytes, which botocore reads as Latin-1. */
function textOf(value: string): string {
  if (!value.startsWith('=?UTF-8?B?')) return Buffer.from(value, 'latin1').toString('utf8');
  return Buffer.from(value.slice(10, -2), 'base64').toString('utf8');
}

/** Tags of one object by name. */
export async function awsTags(server: Access, bucket: string, key: string): Promise<Record<string, string>> {
  const answer = await awsS3Api(server, 'get-object-tagging', '--bucket', bucket, '--key', key);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the documented form of its output
  const { TagSet } = answer as { TagSet: { Key: string; Value: string }[] };
  return Object.fromEntries(TagSet.map(({ Key, Value }) => [Key, Value]));
}

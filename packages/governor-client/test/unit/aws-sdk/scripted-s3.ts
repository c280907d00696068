import { Readable } from 'node:stream';
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { governS3, type GovernS3Options } from '../../../src/aws-sdk/index.ts';
import type { AgentGovernor } from '../../../src/index.ts';

/** A request as the SDK hands it to whatever sends it, after it was signed. */
export interface SentRequest {
  method: string;
  path: string;
  query: Record<string, unknown>;
  headers: Record<string, string>;
}

export interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body?: string;
}

const xml = (content: string): string => `<?xml version="1.0" encoding="UTF-8"?>${content}`;
export const slowDown: Answer = {
  status: 503,
  body: xml('<Error><Code>SlowDown</Code><Message>Reduce your request rate.</Message></Error>'),
};

/** What a server says to what the tests send. */
export function usualAnswer({ method, query, headers }: SentRequest): Answer {
  if ('x-amz-copy-source' in headers) return { body: xml('<CopyObjectResult><ETag>"e"</ETag></CopyObjectResult>') };
  if (method === 'POST' && 'uploads' in query) {
    return {
      body: xml(
        '<InitiateMultipartUploadResult><Bucket>b</Bucket><Key>k</Key><UploadId>u</UploadId></InitiateMultipartUploadResult>',
      ),
    };
  }
  if (method === 'POST') {
    return { body: xml('<CompleteMultipartUploadResult><ETag>"e"</ETag></CompleteMultipartUploadResult>') };
  }
  if (method === 'GET' && 'list-type' in query) {
    return { body: xml('<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>') };
  }
  return { headers: { etag: '"e"' } };
}

/** A real client of the SDK with the plugin; what it would send is noted and answered here, and nothing waits. */
export class ScriptedS3 {
  readonly sent: SentRequest[] = [];
  /** Answers that come first, in order; afterwards `usualAnswer`. */
  readonly answers: Answer[] = [];
  readonly client: S3Client;
  readonly #governor: AgentGovernor;

  constructor(governor: AgentGovernor, options: GovernS3Options = {}, config: Partial<S3ClientConfig> = {}) {
    this.#governor = governor;
    this.client = new S3Client({
      region: 'eu-central-1',
      endpoint: 'http://s3.test',
      forcePathStyle: true,
      credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
      maxAttempts: 3,
      retryStrategy: retriesWithoutDelay(3),
      logger: { trace() {}, debug() {}, info() {}, warn() {}, error() {} },
      requestHandler: {
        handle: async ({ method, path, query, headers }: SentRequest) => {
          const sent = { method, path, query, headers: { ...headers } };
          this.sent.push(sent);
          const { status = 200, headers: answered = {}, body = '' } = this.answers.shift() ?? usualAnswer(sent);
          return { response: response(status, answered, body) };
        },
      },
      ...config,
    });
    this.client.middlewareStack.use(governS3(governor, options));
  }

  /** Lets commands come as far as they can: the SDK's way to a request takes many turns, and reads its configuration. */
  async untilParked(count: number): Promise<void> {
    await turnsUntil(() => this.#governor.status.parkedOps === count);
  }
}

function response(
  statusCode: number,
  headers: Record<string, string>,
  text: string,
): { statusCode: number; reason: string; headers: Record<string, string>; body: Readable } {
  const body = Buffer.from(text);
  return {
    statusCode,
    reason: '',
    headers: { 'content-length': String(body.length), ...headers },
    body: Readable.from(body.length === 0 ? [] : [body]),
  };
}

/** So many attempts, one at once after the other. */
function retriesWithoutDelay(maxAttempts: number): Exclude<S3ClientConfig['retryStrategy'], undefined> {
  return {
    acquireInitialRetryToken: async () => token(0),
    refreshRetryTokenForRetry: async (last, { errorType }) => {
      const retries = last.getRetryCount() + 1;
      if (errorType === 'CLIENT_ERROR' || retries >= maxAttempts) throw new Error('no retries are left');
      return token(retries);
    },
    recordSuccess: () => undefined,
  };
}

function token(retries: number): { getRetryCount: () => number; getRetryDelay: () => number } {
  return { getRetryCount: () => retries, getRetryDelay: () => 0 };
}

/** Gives way to whatever is ready to run until a condition holds. */
export async function turnsUntil(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

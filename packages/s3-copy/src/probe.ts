import { S3Client, callContext } from './client.ts';
import type { S3ClientOptions } from './client.ts';
import { S3Error } from './errors.ts';
import { headBucket, listBuckets } from './operations/buckets.ts';

/** What kept a test of an endpoint from succeeding. */
export type ProbeErrorKind =
  /** No such host, nobody listens, no answer in time. */
  | 'unreachable'
  /** The certificate is not trusted, or the port does not speak TLS. */
  | 'tls'
  /** Something answers there, but not an S3 server. */
  | 'not-s3'
  /** Unknown access key, wrong secret, expired token. */
  | 'wrong-credentials'
  /** The credentials are good but may not do this. */
  | 'access-denied'
  | 'no-such-bucket'
  /** The server answered with another error. */
  | 'server-error';

/** A failed test: `kind` for the screen, `detail` for the operator. */
export class ProbeError extends Error {
  override readonly name = 'ProbeError';
  readonly kind: ProbeErrorKind;
  /** Code of the server or of the network layer. */
  readonly code: string;

  constructor(kind: ProbeErrorKind, code: string, message: string, cause: unknown) {
    super(message, { cause });
    this.kind = kind;
    this.code = code;
  }
}

/** A test is for a person who waits: short limits, one retry. */
const PROBE_OPTIONS = {
  timeouts: { connectMs: 5_000, responseMs: 10_000, stallMs: 5_000 },
  retry: { maxAttempts: 2 },
};

/**
 * Reaches an endpoint and lists its buckets. `buckets` is null when the credentials are good but may not list.
 * @throws ProbeError
 */
export async function probeEndpoint(
  options: S3ClientOptions,
  signal?: AbortSignal,
): Promise<{ latencyMs: number; buckets: string[] | null }> {
  return withProbeClient(options, async (client) => {
    const startedMs = performance.now();
    const buckets = await listBuckets(client, callContext(signal === undefined ? {} : { signal })).catch(
      (error: unknown) => {
        if (error instanceof S3Error && error.code === 'AccessDenied') return null;
        throw error;
      },
    );
    return { latencyMs: performance.now() - startedMs, buckets };
  });
}

/** Checks that a bucket exists and may be used. @throws ProbeError */
export async function probeBucket(options: S3ClientOptions, bucket: string, signal?: AbortSignal): Promise<void> {
  await withProbeClient(options, (client) =>
    headBucket(client, bucket, callContext(signal === undefined ? {} : { signal })),
  );
}

async function withProbeClient<T>(options: S3ClientOptions, run: (client: S3Client) => Promise<T>): Promise<T> {
  const client = new S3Client({ ...options, ...PROBE_OPTIONS });
  try {
    return await run(client);
  } catch (error) {
    throw error instanceof S3Error ? probeError(error, options.url) : error;
  } finally {
    await client.close();
  }
}

const CREDENTIAL_CODES = new Set([
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'ExpiredToken',
  'InvalidToken',
  'TokenRefreshRequired',
  'AuthorizationHeaderMalformed',
  'Unauthorized',
]);

function probeError(error: S3Error, url: string): ProbeError {
  const make = (kind: ProbeErrorKind, message: string): ProbeError => new ProbeError(kind, error.code, message, error);
  if (error.code === 'tls-failed') return make('tls', `TLS with ${url} failed: ${error.reason}`);
  if (error.code === 'not-http' || error.code === 'not-s3')
    return make('not-s3', `${url} does not speak S3: ${error.reason}`);
  if (error.status === 0) return make('unreachable', `${url} was not reached (${error.code}): ${error.reason}`);
  if (CREDENTIAL_CODES.has(error.code))
    return make('wrong-credentials', `${url} refused the credentials: ${error.code}`);
  if (error.status === 403) return make('access-denied', `${url} denied access: ${error.reason}`);
  if (error.code === 'NoSuchBucket')
    return make('no-such-bucket', `bucket ${error.bucket ?? ''} does not exist at ${url}`);
  return make('server-error', `${url} answered ${error.status} ${error.code}: ${error.reason}`);
}

/** An S3 server and the credentials to try there. */
export interface ProbeTarget {
  url: string;
  region: string;
  pathStyle: boolean;
  accessKeyId: string;
  secretAccessKey: string;
}

/** Why a probe was not answered with yes. `message` says what was seen, without secrets, in one sentence. */
export interface ProbeRefusal {
  ok: false;
  /**
   * `unreachable`: no S3 answer (name, connection, TLS, time-out, a server that is not S3) · `refused-credentials`: the
   * server does not accept the key or its signature · `no-such-bucket` · `access-denied`: the key is known, but may not.
   */
  reason: 'unreachable' | 'refused-credentials' | 'no-such-bucket' | 'access-denied';
  message: string;
}

/**
 * Asks S3 servers on behalf of the console, which speaks no S3 itself. An implementation answers every outcome as a value,
 * sends one request without retries, and stops when `signal` aborts.
 */
export interface EndpointProbe {
  /**
   * Reaches the server with the credentials. `buckets` is null when the server was reached and knows the key, but the key
   * may not list buckets.
   */
  listBuckets(target: ProbeTarget, signal: AbortSignal): Promise<{ ok: true; buckets: string[] | null } | ProbeRefusal>;
  /** Whether the bucket exists and the key may see it (HeadBucket). */
  checkBucket(target: ProbeTarget, bucket: string, signal: AbortSignal): Promise<{ ok: true } | ProbeRefusal>;
}

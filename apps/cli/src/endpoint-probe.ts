import type { EndpointProbe, ProbeRefusal, ProbeTarget } from '@weir/console';
import { isForbiddenAddress } from '@weir/protocol';
import { probeBucket, probeEndpoint, ProbeError, type ProbeErrorKind, type S3ClientOptions } from '@weir/s3-copy';

const REASONS: Record<ProbeErrorKind, ProbeRefusal['reason']> = {
  unreachable: 'unreachable',
  tls: 'unreachable',
  'not-s3': 'unreachable',
  'server-error': 'unreachable',
  'wrong-credentials': 'refused-credentials',
  'access-denied': 'access-denied',
  'no-such-bucket': 'no-such-bucket',
};

/** The console's question to S3 servers, answered by the copy engine: it is the only place that speaks S3. */
export const s3EndpointProbe: EndpointProbe = {
  listBuckets: async (target, signal) => {
    try {
      const { buckets } = await probeEndpoint(clientOptions(target), signal);
      return { ok: true, buckets };
    } catch (error) {
      return refusal(error);
    }
  },
  checkBucket: async (target, bucket, signal) => {
    try {
      await probeBucket(clientOptions(target), bucket, signal);
      return { ok: true };
    } catch (error) {
      return refusal(error);
    }
  },
};

function clientOptions(target: ProbeTarget): S3ClientOptions {
  const { url, region, pathStyle, accessKeyId, secretAccessKey } = target;
  const credentials = { accessKeyId, secretAccessKey };
  // The console has asked where the name leads; by now, or with a bucket before it, it may lead elsewhere.
  return { url, region, pathStyle, credentials, connect: { refuses: isForbiddenAddress } };
}

function refusal(error: unknown): ProbeRefusal {
  if (error instanceof ProbeError) return { ok: false, reason: REASONS[error.kind], message: error.message };
  // Whatever else went wrong, the endpoint was not shown to work.
  return { ok: false, reason: 'unreachable', message: error instanceof Error ? error.message : String(error) };
}

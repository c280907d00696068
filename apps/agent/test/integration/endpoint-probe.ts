import type { EndpointProbe, ProbeRefusal } from '@weir/console';
import { ProbeError, probeBucket, probeEndpoint } from '@weir/s3-copy';

/** The console's questions to S3 servers, asked for real. */
export const endpointProbe: EndpointProbe = {
  listBuckets: async (target, signal) => {
    try {
      const { buckets } = await probeEndpoint({ ...target, credentials: target }, signal);
      return { ok: true, buckets };
    } catch (error) {
      return refusal(error);
    }
  },
  checkBucket: async (target, bucket, signal) => {
    try {
      await probeBucket({ ...target, credentials: target }, bucket, signal);
      return { ok: true };
    } catch (error) {
      return refusal(error);
    }
  },
};

function refusal(error: unknown): ProbeRefusal {
  if (!(error instanceof ProbeError)) throw error;
  return {
    ok: false,
    reason: error.kind === 'no-such-bucket' ? 'no-such-bucket' : 'unreachable',
    message: error.message,
  };
}

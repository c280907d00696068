import type { CopyPlan } from './copy-plan.ts';
import { S3Error } from './errors.ts';
import { classifyFault } from './fault-policy.ts';
import type { CallContext } from './gate.ts';
import { headBucket } from './operations/buckets.ts';

/**
 * Asks both endpoints for their buckets. Any answer will do, also "access denied": object rights alone are enough to copy.
 * @param absorb runs a request and waits out throttles
 * @throws S3Error of the endpoint that does not answer, or whose bucket is gone; CancelledError
 */
export async function requireAnswers(
  plan: CopyPlan,
  call: CallContext,
  absorb: <T>(run: () => Promise<T>) => Promise<T>,
): Promise<void> {
  for (const { client, bucket } of [plan.source, plan.target]) {
    try {
      await absorb(() => headBucket(client, bucket, call));
    } catch (error) {
      if (!(error instanceof S3Error) || ['transport', 'stop'].includes(classifyFault(error))) throw error;
    }
  }
}

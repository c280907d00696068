import type { CopyPlan } from './copy-plan.ts';
import { S3Error } from './errors.ts';
import type { S3Operation } from './gate.ts';
import type { OwnCode } from './own-codes.ts';

/** Where a copy found something wrong that no server had said. */
export function copyError(
  plan: CopyPlan,
  operation: S3Operation,
  key: string,
  code: OwnCode,
  message: string,
): S3Error {
  const fromSource = operation === 'GetObject' || operation === 'HeadObject';
  const { bucket } = fromSource ? plan.source : plan.target;
  return new S3Error({ code, message, status: 0, operation, bucket, key, requestId: null });
}

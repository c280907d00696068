import type { CopyPlan } from './copy-plan.ts';
import { S3Error } from './errors.ts';
import type { OwnCode } from './own-codes.ts';

/** The failure of an object whose key no request can carry. */
export function keyIsNoText(plan: CopyPlan, key: string): S3Error {
  const message = 'the key is no valid UTF-8, so no request can name it';
  const { bucket } = plan.source;
  return new S3Error({
    code: 'key-not-utf8',
    message,
    bucket,
    key,
    operation: 'GetObject',
    status: 0,
    requestId: null,
  });
}

/** An error of ours, which ends a run. */
export function internalError(plan: CopyPlan, error: unknown): S3Error {
  const message = error instanceof Error ? error.message : String(error);
  const { bucket } = plan.source;
  return new S3Error({
    code: 'internal' satisfies OwnCode,
    message,
    bucket,
    key: null,
    cause: error,
    operation: 'GetObject',
    status: 0,
    requestId: null,
  });
}

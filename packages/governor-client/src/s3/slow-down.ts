const CODES = new Set([
  'BandwidthLimitExceeded',
  'RequestLimitExceeded',
  'RequestThrottled',
  'ServiceUnavailable',
  'SlowDown',
  'SlowDownRead',
  'SlowDownWrite',
  'Throttling',
  'ThrottlingException',
  'TooManyRequests',
  'TooManyRequestsException',
]);

/**
 * Whether an answer asks for fewer requests.
 * @param status HTTP status; null when there was no answer
 * @param code S3 error code; null when it is not known. CompleteMultipartUpload and CopyObject may carry one under status 200.
 */
export function asksForLess(status: number | null, code: string | null): boolean {
  return status === 503 || status === 429 || (code !== null && CODES.has(code));
}

/** Why the holdoff that follows began, in a few words. */
export function slowDownReason(operation: string, status: number | null, code: string | null): string {
  return [operation, status, code].filter((part) => part !== null).join(' ');
}

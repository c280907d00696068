/**
 * Codes of this package's own, beside those of servers (`NoSuchKey`): what is wrong with the way to a server, with its
 * answer, or with a copy. Each has a heading in docs/agent-error-codes.md (a test compares).
 */
export const OWN_CODES = [
  'connection-refused',
  'connection-lost',
  'connect-timeout',
  'response-timeout',
  'body-stalled',
  'host-not-found',
  'host-unreachable',
  'forbidden-address',
  'tls-failed',
  'not-http',
  'not-s3',
  'network-error',
  'truncated-body',
  'incomplete-response',
  'missing-content-length',
  'range-not-honoured',
  'checksum-mismatch',
  'source-changed',
  'resume-mismatch',
  'no-target-key',
  'header-refused',
  'endless-listing',
  'missing-continuation-token',
  'repeated-continuation-token',
  'foreign-key',
  'unordered-listing',
  'invalid-filter',
  'internal',
] as const;
export type OwnCode = (typeof OWN_CODES)[number];

/** What a copy could not keep or use, although nothing failed. */
export const WARNING_CODES = [
  /** The target stores no tags; its copies have none. */
  'tags-not-supported',
  /** The source has tags that these credentials may not read. */
  'tags-not-readable',
  /** The target does not know a storage class of the source and stores in its own. */
  'storage-class-not-supported',
  /** The endpoint cannot copy within itself; objects travel through this process. */
  'server-side-copy-not-supported',
] as const;
export type WarningCode = (typeof WARNING_CODES)[number];

import { z } from 'zod';
import { timestampMs } from './identifiers.ts';

/**
 * Every error code of the wire. Each has a heading in docs/error-codes.md with its cause and remedy (a test compares).
 * The API sends codes and fields; screens own the words.
 */
export const ERROR_CODES = [
  'bad-request',
  'validation-failed',
  'unauthenticated',
  'wrong-credentials',
  'agent-revoked',
  'wrong-enrolment-token',
  'forbidden',
  'cross-site-request',
  'not-found',
  'name-taken',
  'too-many-agents',
  'in-use',
  'last-admin',
  'wrong-state',
  'changed-meanwhile',
  'lease-lost',
  'endpoint-unreachable',
  'endpoint-refused-credentials',
  'endpoint-forbidden-address',
  'bucket-not-found',
  'store-unreachable',
  'protocol-too-old',
  'protocol-too-new',
  'payload-too-large',
  'too-many-requests',
  'storage-unavailable',
  'no-leader',
  'leader-timeout',
  'ledger-unavailable',
  'unavailable',
  'internal',
] as const;

export const errorCode = z.enum(ERROR_CODES);
export type ErrorCode = z.infer<typeof errorCode>;

/** One thing that is wrong with the input: which field, what was sent, what would be right. */
export const fieldProblem = z.object({
  /** Path of the field, `source.bucket`; empty for the body as a whole. */
  field: z.string(),
  /** The value sent, shortened; absent for secrets and missing fields. */
  value: z.string().optional(),
  /** What is wrong and what to send instead. */
  problem: z.string(),
});
export type FieldProblem = z.infer<typeof fieldProblem>;

/** The change that somebody else made first. */
export const earlierChange = z.object({
  /** Version that it made. */
  version: z.number().int().nonnegative(),
  changedBy: z.string(),
  changedAtMs: timestampMs,
});
export type EarlierChange = z.infer<typeof earlierChange>;

/** Body of every answer with status ≥ 400. */
export const errorBody = z.object({
  error: z.object({
    code: errorCode,
    /** One sentence for logs and terminals. */
    message: z.string(),
    fields: z.array(fieldProblem).optional(),
    retryAfterMs: z.number().int().nonnegative().optional(),
    /** With `changed-meanwhile`: who changed it last, and when. */
    changed: earlierChange.optional(),
  }),
});
export type ErrorBody = z.infer<typeof errorBody>;

import { z } from 'zod';
import { count, timestampMs } from './identifiers.ts';
import {
  DEFAULT_MULTIPART_THRESHOLD_BYTES,
  DEFAULT_PART_BYTES,
  MAX_FILTER_PATTERNS,
  MAX_PATTERN_CHARACTERS,
} from './limits.ts';

/** Part of a multipart upload: S3 servers refuse parts below 5 MiB, except for the last, and above 5 GiB. */
const MIN_PART_BYTES = 5 * 1_024 ** 2;
const MAX_PART_BYTES = 5 * 1_024 ** 3;

const pattern = z
  .string()
  .min(1, 'must not be empty')
  .max(MAX_PATTERN_CHARACTERS)
  .refine((text) => text.isWellFormed(), 'must be valid Unicode');

/**
 * Which objects of the source are copied. Patterns are matched against the key behind the source prefix: `*` stands for
 * anything within a segment, `**` for anything, `?` for one character.
 */
export const copyFilter = z
  .strictObject({
    /** Empty: everything. */
    include: z.array(pattern).max(MAX_FILTER_PATTERNS).default([]),
    /** Wins over `include`. */
    exclude: z.array(pattern).max(MAX_FILTER_PATTERNS).default([]),
    /** Size in bytes, both ends included; null: no bound. */
    minBytes: count.nullable().default(null),
    maxBytes: count.nullable().default(null),
    /** Time of the last change; null: no bound. */
    modifiedAfterMs: timestampMs.nullable().default(null),
    modifiedBeforeMs: timestampMs.nullable().default(null),
  })
  .refine(({ minBytes, maxBytes }) => minBytes === null || maxBytes === null || minBytes <= maxBytes, {
    path: ['maxBytes'],
    error: 'must not be below minBytes: no object could match',
  })
  .refine(
    ({ modifiedAfterMs: after, modifiedBeforeMs: before }) => after === null || before === null || after < before,
    {
      path: ['modifiedBeforeMs'],
      error: 'must be later than modifiedAfterMs: no object could match',
    },
  );
export type CopyFilter = z.infer<typeof copyFilter>;

/** How a job copies, beyond its mode. */
export const jobOptions = z.strictObject({
  /**
   * How target-skip and incremental look at the target. `head`: one request per object, the documented figures ·
   * `listing`: both sides are listed in step, one request per 1,000 objects.
   */
  checkBy: z.enum(['head', 'listing']).default('head'),
  filter: copyFilter.prefault({}),
  /** Writes nothing: counts what would be copied. */
  dryRun: z.boolean().default(false),
  /** Where source and target are one endpoint, the server copies by itself and no object travels over the agent. */
  serverSideCopy: z.boolean().default(true),
  /** Keeps a chain digest over every object, which the console signs when the job has ended. */
  manifest: z.boolean().default(true),
  /** Objects of at least this size are copied in parts. */
  multipartThresholdBytes: count.min(MIN_PART_BYTES).max(MAX_PART_BYTES).default(DEFAULT_MULTIPART_THRESHOLD_BYTES),
  partBytes: count.min(MIN_PART_BYTES).max(MAX_PART_BYTES).default(DEFAULT_PART_BYTES),
});
export type JobOptions = z.infer<typeof jobOptions>;

/** What a job has that says nothing about them. */
export const DEFAULT_JOB_OPTIONS: JobOptions = jobOptions.parse({});

import { z } from 'zod';
import { grant } from './windows.ts';
import { holdoff, limiterInstructions } from './agents.ts';
import { assignmentNeed } from './assignment-needs.ts';
import { bucketName, count, displayName, id, objectKey, rate, timestampMs, utf8Length } from './identifiers.ts';
import { jobOptions } from './job-options.ts';
import {
  MAX_FAILURES_PER_REPORT,
  MAX_KEY_BYTES,
  MAX_PLANNED_PER_JOB,
  MAX_PLANNED_PER_REPORT,
  MAX_SHARDS_PER_JOB,
} from './limits.ts';
import { shardTrouble, troubleView } from './trouble.ts';

const endpointUrl = z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' });

/** Goes into the header of every request, so it is visible ASCII; a line break would come from copying it. */
const headerText = /^[\x21-\x7e]+$/;

/** An S3 server with the credentials that jobs use there. */
export const endpointInput = z.strictObject({
  name: displayName,
  url: endpointUrl,
  region: z
    .string()
    .max(64)
    .regex(/^[A-Za-z0-9._:-]+$/, 'must be letters, digits, ., _, : and -')
    .default('us-east-1'),
  /** `http://host/bucket` (true) or `http://bucket.host` (false). */
  pathStyle: z.boolean().default(true),
  accessKeyId: z
    .string()
    .min(1, 'must not be empty')
    .max(256)
    .regex(headerText, 'must not contain spaces, line breaks or characters outside of ASCII'),
  /** Encrypted at rest; never sent back. Absent in an update: keep the stored one. */
  secretAccessKey: z
    .string()
    .min(1, 'must not be empty')
    .max(1_024)
    .refine((secret) => secret.trim() === secret, 'must not begin or end with a space or line break'),
});
export type EndpointInput = z.infer<typeof endpointInput>;

/** An endpoint as pages see it: without its secret. */
export const endpointView = z.object({
  endpointId: id,
  name: displayName,
  url: z.string(),
  region: z.string(),
  pathStyle: z.boolean(),
  accessKeyId: z.string(),
  createdAtMs: timestampMs,
});
export type EndpointView = z.infer<typeof endpointView>;
/** Buckets of an endpoint, by name, at most 1,000; null: the credentials may not list them. */
export const bucketList = z.object({ buckets: z.array(z.string()).nullable() });
export const endpointList = z.object({ endpoints: z.array(endpointView) });

/** Answer of an endpoint test: it was reached and lists these buckets (null: the credentials may not list buckets). */
export const endpointTestResult = z.object({ latencyMs: rate, buckets: z.array(z.string()).nullable() });
export type EndpointTestResult = z.infer<typeof endpointTestResult>;

const prefix = z
  .string()
  .refine((text) => text.isWellFormed() && utf8Length(text) <= MAX_KEY_BYTES, {
    error: `must be valid Unicode of at most ${MAX_KEY_BYTES} bytes in UTF-8`,
  })
  .default('');

/** `copy-all`: every object · `target-skip`: not what exists at the target · `incremental`: what differs in size or is newer. */
export const copyMode = z.enum(['copy-all', 'target-skip', 'incremental']);
export type CopyMode = z.infer<typeof copyMode>;

export const jobInput = z.strictObject({
  name: displayName,
  source: z.strictObject({ endpointId: id, bucket: bucketName, prefix }),
  target: z.strictObject({ endpointId: id, bucket: bucketName, prefix }),
  mode: copyMode.default('copy-all'),
  options: jobOptions.prefault({}),
});
export type JobInput = z.infer<typeof jobInput>;

/**
 * queued → running ⇄ paused; running → completed | completed-with-failures | failed; any unfinished → cancelled.
 * `retry` brings completed-with-failures, failed and cancelled back to queued.
 */
export const jobState = z.enum([
  'queued',
  'running',
  'paused',
  'completed',
  'completed-with-failures',
  'failed',
  'cancelled',
]);
export type JobState = z.infer<typeof jobState>;

export const copyCounters = z.object({
  objectsListed: count,
  objectsCopied: count,
  objectsSkipped: count,
  /** Listed, but left out by the filter. */
  objectsExcluded: count.default(0),
  objectsFailed: count,
  bytesCopied: count,
  /** Time that operations spent parked for credits, summed over operations, in ms. */
  parkedMs: count,
  /** Attempts beyond the first. */
  retries: count,
});
export type CopyCounters = z.infer<typeof copyCounters>;

/** An object that could not be copied, with all that support needs. */
export const copyFailure = z.object({
  key: objectKey,
  /** Named reason, such as `NoSuchKey`, `AccessDenied`, `checksum-mismatch`. */
  code: z.string().max(64),
  message: z.string().max(500),
  requestId: z.string().max(128).nullable(),
});
export type CopyFailure = z.infer<typeof copyFailure>;

/** One agent at work on a job, with what it did over its last reports. */
export const jobAgent = z.object({
  agentId: id,
  name: z.string(),
  shards: count,
  objectsPerSecond: rate,
  bytesPerSecond: rate,
  /** Object bytes that went over the network in both directions, in bits per second ÷ 10⁶. */
  mbps: rate,
});
export type JobAgent = z.infer<typeof jobAgent>;

/** An object that a dry run met, and what would become of it. */
export const plannedObject = z.object({
  key: objectKey,
  sizeBytes: count.nullable(),
  action: z.enum(['copy', 'skip', 'exclude']),
});
export type PlannedObject = z.infer<typeof plannedObject>;
/** The first objects of a dry run, by key. The counters of the job cover all of them. */
export const plannedList = z.object({ objects: z.array(plannedObject).max(MAX_PLANNED_PER_JOB) });

export const jobView = z.object({
  jobId: id,
  name: displayName,
  source: z.object({ endpointId: id, endpointName: z.string(), bucket: z.string(), prefix: z.string() }),
  target: z.object({ endpointId: id, endpointName: z.string(), bucket: z.string(), prefix: z.string() }),
  mode: copyMode,
  options: jobOptions,
  state: jobState,
  /** Why the job failed; null otherwise. */
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  createdBy: z.string(),
  createdAtMs: timestampMs,
  startedAtMs: timestampMs.nullable(),
  finishedAtMs: timestampMs.nullable(),
  counters: copyCounters,
  /** Objects of the job, once every key range has been listed to its end; null before. */
  objectsTotal: count.nullable(),
  /** Rates over the last reports. */
  objectsPerSecond: rate,
  bytesPerSecond: rate,
  /** Object bytes that went over the network in both directions, in bits per second ÷ 10⁶. */
  mbps: rate,
  /** Share of the time that agents held parts of this job in which something waited for credits, 0–100; null: not held yet. */
  parkedPercent: rate.nullable(),
  /** Key ranges: done, running, all. Listing is complete, and an ETA possible, once every range has been listed. */
  shardsDone: count,
  shardsRunning: count,
  shardsTotal: count,
  /** Share of the job that is done, 0–100, from key ranges; null while unknown. */
  progressPercent: rate.nullable(),
  etaMs: count.nullable(),
  agents: z.array(jobAgent),
  /** What it asks of its agents that older ones do not know, and the version of the wire that they must speak for it. */
  needs: z.array(assignmentNeed),
  needsVersion: count,
  /** Parts of it wait although agents are online: all of those are too old for it. */
  waitsForNewerAgents: z.boolean(),
  /** Agents that hold a part of this job and cannot work on it, the longest first; a job that is healthy has none. */
  troubles: z.array(troubleView),
  /** The job was cancelled, and agents still remove what others left unfinished at the target. */
  cleaningUp: z.boolean(),
  holdoffCount: count,
  /** End of the latest holdoff that still pauses an agent of this job. */
  holdoffUntilMs: timestampMs.nullable(),
});
export type JobView = z.infer<typeof jobView>;
export const jobList = z.object({ jobs: z.array(jobView) });
export const failureList = z.object({ failures: z.array(copyFailure), total: count });

export const jobAction = z.enum(['pause', 'resume', 'cancel', 'retry']);
export type JobAction = z.infer<typeof jobAction>;

/** Makes a new job like an ended one. Absent: as the old one has it. */
export const repeatRequest = z.strictObject({ name: displayName.optional(), dryRun: z.boolean().optional() });
export type RepeatRequest = z.infer<typeof repeatRequest>;

/** What a shard covers: a key range (start exclusive, end inclusive, in UTF-8 byte order), or listed keys (a retry). */
export const shardWork = z.discriminatedUnion('type', [
  z.object({ type: z.literal('range'), startAfter: z.string().nullable(), endAt: z.string().nullable() }),
  z.object({ type: z.literal('keys'), keys: z.array(objectKey).max(1_000) }),
]);
export type ShardWork = z.infer<typeof shardWork>;

/** Where and with what an agent reaches one side of a job. Only ever sent to the agent that runs it. */
export const s3Location = z.object({
  url: z.string(),
  region: z.string(),
  pathStyle: z.boolean(),
  accessKeyId: z.string(),
  secretAccessKey: z.string(),
  bucket: z.string(),
  prefix: z.string(),
});
export type S3Location = z.infer<typeof s3Location>;

/** Chain digest over the objects up to a checkpoint, in order; SHA-256 in hex. */
export const manifestChain = z.object({ digest: z.string().regex(/^[0-9a-f]{64}$/), entries: count });
export type ManifestChain = z.infer<typeof manifestChain>;

/** Work handed to one agent, fenced by `leaseId`: once it is given to somebody else, reports are refused with lease-lost. */
export const assignment = z.object({
  jobId: id,
  jobName: z.string(),
  shardId: id,
  leaseId: id,
  /** `clean-up`: copy nothing, remove the unfinished uploads of keys in `work` that a dead agent left at the target. */
  kind: z.enum(['copy', 'clean-up']).default('copy'),
  mode: copyMode,
  options: jobOptions.prefault({}),
  source: s3Location,
  target: s3Location,
  work: shardWork,
  /** Last key of the range that an earlier run finished in order; continue after it. */
  checkpoint: z.string().nullable(),
  /** The manifest's chain at the checkpoint; null: it begins here, or the job keeps none. */
  manifest: manifestChain.nullable().default(null),
  /** When the job began, on the console's clock: uploads that are older are not its own. */
  startedAtMs: timestampMs.default(0),
  /** Somebody held this shard before, so unfinished multipart uploads of its keys may be left at the target. */
  heldBefore: z.boolean(),
  /** Before copying, split the range into at most this many and report them; 0: copy at once. */
  splitInto: z.number().int().nonnegative().max(MAX_SHARDS_PER_JOB),
});
export type Assignment = z.infer<typeof assignment>;

export const claimRequest = z.strictObject({
  /** How long to wait for work before answering `assignment: null`. */
  waitSeconds: z.number().nonnegative().max(25),
});

/** Accepting a job grants credits at once (D7); `grant` is null when the agent already runs under one. */
export const claimResponse = z.object({
  assignment: assignment.nullable(),
  grant: grant.nullable(),
  limiter: limiterInstructions,
});
export type ClaimResponse = z.infer<typeof claimResponse>;

/** Splits a shard: boundaries b₁ < b₂ < … make the ranges (start, b₁], (b₁, b₂], …, (bₙ, end]; the reporter keeps the first. */
export const splitRequest = z.strictObject({
  leaseId: id,
  boundaries: z.array(objectKey).max(MAX_SHARDS_PER_JOB - 1),
});
export const splitResponse = z.object({ work: shardWork });

export const progressRequest = z.strictObject({
  leaseId: id,
  /** `released`: given back unfinished (pause, shutdown); `failed`: the whole job cannot go on (bucket gone, access denied). */
  state: z.enum(['running', 'completed', 'released', 'failed']),
  checkpoint: z.string().nullable(),
  /** Counters of this lease up to the checkpoint, and up to now. A successor starts from the former. */
  atCheckpoint: copyCounters,
  live: copyCounters,
  failures: z.array(copyFailure).max(MAX_FAILURES_PER_REPORT),
  error: z.object({ code: z.string().max(64), message: z.string().max(1_000) }).nullable(),
  holdoff: holdoff.nullable(),
  /** Holdoffs of this lease so far. */
  holdoffCount: count,
  /** Why nothing moves; null: nothing is known to be wrong. */
  trouble: shardTrouble.nullable().default(null),
  /** The range has been listed to its end: `live.objectsListed` will not grow any more. */
  listed: z.boolean().default(false),
  /** The rest of the range can be given to others now, should the console ask for it. */
  canSplit: z.boolean().default(false),
  /** Object bytes that this lease moved over the network so far, those of failed attempts included. */
  traffic: z.object({ bytesRead: count, bytesWritten: count }).default({ bytesRead: 0, bytesWritten: 0 }),
  /** How long this lease has been held, and how much of that something waited for credits, in ms. */
  heldMs: count.default(0),
  waitedMs: count.default(0),
  /** The manifest's chain at the checkpoint; null: the job keeps none. */
  manifest: manifestChain.nullable().default(null),
  /** What a dry run met since the last report, the first of each range. */
  planned: z.array(plannedObject).max(MAX_PLANNED_PER_REPORT).default([]),
});
export type ProgressRequest = z.infer<typeof progressRequest>;

/**
 * `release`: stop at the checkpoint and give the shard back · `abandon`: stop, clean up, the job is cancelled · `split`: go
 * on, and give the rest of the range away in up to `splitInto` parts, of which the first is kept.
 */
export const progressResponse = z.object({
  desired: z.enum(['run', 'release', 'abandon', 'split']),
  splitInto: z.number().int().min(2).max(MAX_SHARDS_PER_JOB).optional(),
});
export type ProgressResponse = z.infer<typeof progressResponse>;

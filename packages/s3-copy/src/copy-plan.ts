import type { S3Client } from './client.ts';
import type { Upload } from './operations/multipart.ts';
import { DEFAULT_MULTIPART_THRESHOLD_BYTES, DEFAULT_PART_BYTES } from './plan-parts.ts';

/** `copy-all`: every object · `target-skip`: not what exists at the target · `incremental`: what differs or is newer. */
export type CopyMode = 'copy-all' | 'target-skip' | 'incremental';

/** One side of a copy. */
export interface CopySide {
  client: S3Client;
  bucket: string;
  /** Keys begin with it; empty for the whole bucket. */
  prefix: string;
}

/** Sizes that decide how an object travels. */
export interface CopyTuning {
  /** Objects of at least this size are copied in parts. Default 128 MiB. */
  multipartThresholdBytes: number;
  /** Size of a part. Default 8 MiB; grows for objects over 10,000 parts. */
  partBytes: number;
  /** Parts of one object under way at once. Default 4. */
  partConcurrency: number;
  /** Objects up to this size are held in memory between GET and PUT. Default 1 MiB. */
  bufferUpToBytes: number;
  /** Compare MD5 ETags. Off for servers whose ETags look like an MD5 and are not. Default true. */
  verifyEtags: boolean;
}

export const DEFAULT_TUNING: CopyTuning = {
  multipartThresholdBytes: DEFAULT_MULTIPART_THRESHOLD_BYTES,
  partBytes: DEFAULT_PART_BYTES,
  partConcurrency: 4,
  bufferUpToBytes: 1024 * 1024,
  verifyEtags: true,
};

/** All that copying one object needs, the object aside. */
export interface CopyPlan {
  source: CopySide;
  target: CopySide;
  mode: CopyMode;
  tuning: CopyTuning;
  /** Look and decide, but write nothing. Default false. */
  dryRun?: boolean;
  /** Uploads that an earlier run left at the target, by target key; aborted when their object is copied again. */
  leftUploads?: Map<string, Upload[]>;
}

/** An object to copy. What is not known before is null and is asked for. */
export interface CopyItem {
  key: string;
  sizeBytes: number | null;
  etag: string | null;
  lastModifiedMs: number | null;
  /** What is to be done, where the listings have told already; absent: the target is asked, as the mode wants it. */
  verdict?: PlannedAction;
}

/** What is done, or in a dry run would be done, with an object. `exclude`: the filter left it out. */
export type PlannedAction = 'copy' | 'skip' | 'exclude';

/** How it ended; failures are thrown. */
export type CopyOutcome = { type: 'copied'; bytes: number } | { type: 'skipped' };

/** Longest key that S3 takes, in bytes. */
const MAX_KEY_BYTES = 1_024;

/** Name of the copy: the target's prefix followed by the key without the source's. Null when no legal key comes out. */
export function targetKeyOf(plan: CopyPlan, key: string): string | null {
  const target = plan.target.prefix + key.slice(plan.source.prefix.length);
  if (target === '' || !key.startsWith(plan.source.prefix)) return null;
  return Buffer.byteLength(target) > MAX_KEY_BYTES ? null : target;
}

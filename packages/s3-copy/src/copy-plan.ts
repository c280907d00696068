import type { S3Client } from './client.ts';
import { Learned } from './learned.ts';
import type { CopyWarning } from './learned.ts';
import type { Verification } from './manifest.ts';
import type { Upload } from './operations/multipart.ts';
import { DEFAULT_MULTIPART_THRESHOLD_BYTES, DEFAULT_PART_BYTES } from './defaults.ts';

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
  /**
   * Compute the MD5 of a whole object that is copied in parts when its source's ETag is one: finds damage on the way from
   * the source, and costs a second MD5 of each byte. Only while 4 parts of 16 MiB or their like fit. Default true.
   */
  verifyWholeMd5: boolean;
  /** Cut objects where their sources are cut, as far as servers tell, so that their ETags are equal. Default true. */
  keepPartLayout: boolean;
  /** Objects up to this size are copied within one endpoint by one request; at most 5 GiB. Default 5 GiB. */
  copyObjectUpToBytes: number;
}

export const DEFAULT_TUNING: CopyTuning = {
  multipartThresholdBytes: DEFAULT_MULTIPART_THRESHOLD_BYTES,
  partBytes: DEFAULT_PART_BYTES,
  partConcurrency: 4,
  bufferUpToBytes: 1024 * 1024,
  verifyEtags: true,
  verifyWholeMd5: true,
  keepPartLayout: true,
  copyObjectUpToBytes: 5 * 1024 ** 3,
};

/** All that copying one object needs, the object aside. */
export interface CopyPlan {
  source: CopySide;
  target: CopySide;
  mode: CopyMode;
  tuning: CopyTuning;
  /** One endpoint holds both sides, and copies within itself. */
  serverSideCopy: boolean;
  /** What is known of the endpoints by now. */
  learned: Learned;
  /** Look and decide, but write nothing. Default false. */
  dryRun?: boolean;
  /** Uploads that an earlier run left at the target, by target key; aborted when their object is copied again. */
  leftUploads?: Map<string, Upload[]>;
}

/** What a plan is made of. */
export interface CopyPlanOptions {
  source: CopySide;
  target: CopySide;
  mode: CopyMode;
  tuning?: Partial<CopyTuning>;
  dryRun?: boolean;
  /**
   * Lets an endpoint that holds both sides copy within itself, so that no byte comes here. `auto`: when URL and
   * credentials are the same. `always`: the target's credentials may read the source. Default `auto`.
   */
  serverSideCopy?: 'auto' | 'always' | 'never';
  /** Hears once per run of each thing that copies cannot keep. */
  onWarning?: (warning: CopyWarning) => void;
}

/** A plan with the defaults filled in. */
export function newCopyPlan(options: CopyPlanOptions): CopyPlan {
  const { source, target, mode, dryRun } = options;
  const wish = options.serverSideCopy ?? 'auto';
  return {
    source,
    target,
    mode,
    tuning: { ...DEFAULT_TUNING, ...options.tuning },
    serverSideCopy: wish === 'always' || (wish === 'auto' && source.client.reachesTheSame(target.client)),
    learned: new Learned(options.onWarning),
    dryRun: dryRun === true,
  };
}

/** An object to copy. What is not known before is null and is asked for. */
export interface CopyItem {
  key: string;
  sizeBytes: number | null;
  etag: string | null;
  lastModifiedMs: number | null;
  /**
   * What is to be done, where the listings have told already; absent: the target is asked, as the mode wants it.
   * `copied`: an earlier run of this work did it. `perhaps-copied`: the same, if its headers and tags arrived too.
   */
  verdict?: PlannedAction | 'copied' | 'perhaps-copied';
}

/** What is done, or in a dry run would be done, with an object. `exclude`: the filter left it out. */
export type PlannedAction = 'copy' | 'skip' | 'exclude';

/** How it ended; failures are thrown. */
export type CopyOutcome =
  | { type: 'copied'; bytes: number; etag: string; verified: Verification }
  /** `etag`: that of the target; empty when it was not asked for. */
  | { type: 'skipped'; etag: string };

/** Longest key that S3 takes, in bytes. */
const MAX_KEY_BYTES = 1_024;

/** Name of the copy: the target's prefix followed by the key without the source's. Null when no legal key comes out. */
export function targetKeyOf(plan: CopyPlan, key: string): string | null {
  const target = plan.target.prefix + key.slice(plan.source.prefix.length);
  if (target === '' || !key.startsWith(plan.source.prefix)) return null;
  return Buffer.byteLength(target) > MAX_KEY_BYTES ? null : target;
}

import type { CheckBy, CopyMode } from '@weir/s3-copy';

/** Flags of `weir copy` as commander hands them over. */
export interface CopyFlags {
  sourceUrl?: string;
  sourceRegion?: string;
  sourceAddressing?: 'path' | 'virtual';
  sourceProfile?: string;
  sourceEnv?: string;
  sourceAccessKey?: string;
  sourceSecretKey?: string;
  targetUrl?: string;
  targetRegion?: string;
  targetAddressing?: 'path' | 'virtual';
  targetProfile?: string;
  targetEnv?: string;
  targetAccessKey?: string;
  targetSecretKey?: string;
  createBucket: boolean;
  mode: CopyMode;
  check: CheckBy;
  include: string[];
  exclude: string[];
  minSize?: number;
  maxSize?: number;
  newerThan?: number;
  olderThan?: number;
  dryRun: boolean;
  tps?: number;
  windowSeconds: number;
  costs: 'per-object' | 'per-request';
  concurrency: number;
  serverSide: 'auto' | 'always' | 'never';
  multipartThreshold?: number;
  partSize?: number;
  retry?: string;
  failed?: string;
  manifest?: string;
  resume?: string;
  maxFailures: number;
  holdoffSeconds: [number, number];
  patience: number;
  count?: boolean;
  quiet: boolean;
  json: boolean;
}

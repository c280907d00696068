import { S3Error } from './errors.ts';
import { compileGlob } from './glob.ts';
import type { Matcher } from './glob.ts';
import type { OwnCode } from './own-codes.ts';

/** Which objects of a listing are copied: those that every part of it lets pass. */
export interface CopyFilter {
  /** Globs (see glob.ts) of which one must match the key without the source's prefix; empty: every key. At most 1,000. */
  include: string[];
  /** Globs of which none may match; they win over `include`. At most 1,000. */
  exclude: string[];
  /** Smallest and largest size, both included, in bytes; null: no bound. */
  minBytes: number | null;
  maxBytes: number | null;
  /** Last modified at or after, and before, in ms since 1970; null: no bound. */
  modifiedAfterMs: number | null;
  modifiedBeforeMs: number | null;
}

/** Lets everything pass. */
export const NO_FILTER: Readonly<CopyFilter> = {
  include: [],
  exclude: [],
  minBytes: null,
  maxBytes: null,
  modifiedAfterMs: null,
  modifiedBeforeMs: null,
};

/** What a filter looks at. */
export interface FilteredObject {
  key: string;
  sizeBytes: number;
  /** 0: the server did not say; times then exclude nothing, so that no object is lost for it. */
  lastModifiedMs: number;
}

/** Each pattern is tried on each key. */
const MAX_PATTERNS = 1_000;

/** What is wrong with a filter: the field, and what to write instead. Empty: nothing. */
export function problemsOfFilter(filter: CopyFilter): { field: string; problem: string }[] {
  const problems: { field: string; problem: string }[] = [];
  for (const field of ['include', 'exclude'] as const) {
    const patterns = filter[field];
    if (patterns.length > MAX_PATTERNS) problems.push({ field, problem: `has more than ${MAX_PATTERNS} patterns` });
    for (const [index, pattern] of patterns.slice(0, MAX_PATTERNS).entries()) {
      const problem = problemOfGlob(pattern);
      if (problem !== null) problems.push({ field: `${field}.${index}`, problem });
    }
  }
  for (const field of ['minBytes', 'maxBytes', 'modifiedAfterMs', 'modifiedBeforeMs'] as const) {
    const value = filter[field];
    if (value !== null && !(value >= 0)) problems.push({ field, problem: 'must be a number that is not negative' });
  }
  const { minBytes, maxBytes, modifiedAfterMs, modifiedBeforeMs } = filter;
  if (minBytes !== null && maxBytes !== null && minBytes > maxBytes) {
    problems.push({ field: 'minBytes', problem: 'is larger than maxBytes, so that no object would be copied' });
  }
  if (modifiedAfterMs !== null && modifiedBeforeMs !== null && modifiedAfterMs >= modifiedBeforeMs) {
    problems.push({ field: 'modifiedAfterMs', problem: 'is not before modifiedBeforeMs: no object would be copied' });
  }
  return problems;
}

/**
 * Whether an object is copied. `prefix` is the source's; patterns see what follows it.
 * @throws S3Error `invalid-filter` that says what is wrong, see `problemsOfFilter`.
 */
export function compileFilter(filter: CopyFilter, prefix: string): (object: FilteredObject) => boolean {
  const problems = problemsOfFilter(filter);
  if (problems.length > 0) {
    const message = problems.map(({ field, problem }) => `${field} ${problem}`).join('; ');
    const nowhere = { status: 0, operation: 'ListObjectsV2', bucket: null, key: null, requestId: null } as const;
    throw new S3Error({ ...nowhere, code: 'invalid-filter' satisfies OwnCode, message });
  }
  const include = filter.include.map((pattern) => compileGlob(pattern));
  const exclude = filter.exclude.map((pattern) => compileGlob(pattern));
  return (object) => {
    if (!isWithinBounds(filter, object)) return false;
    if (include.length === 0 && exclude.length === 0) return true;
    const name = object.key.slice(prefix.length);
    const matches = (matcher: Matcher): boolean => matcher(name);
    return (include.length === 0 || include.some(matches)) && !exclude.some(matches);
  };
}

function isWithinBounds(filter: CopyFilter, { sizeBytes, lastModifiedMs }: FilteredObject): boolean {
  if (filter.minBytes !== null && sizeBytes < filter.minBytes) return false;
  if (filter.maxBytes !== null && sizeBytes > filter.maxBytes) return false;
  if (lastModifiedMs === 0) return true;
  if (filter.modifiedAfterMs !== null && lastModifiedMs < filter.modifiedAfterMs) return false;
  return filter.modifiedBeforeMs === null || lastModifiedMs < filter.modifiedBeforeMs;
}

function problemOfGlob(pattern: string): string | null {
  try {
    compileGlob(pattern);
    return null;
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}

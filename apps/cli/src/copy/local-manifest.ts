/*
 * The manifest that `weir copy --manifest FILE` writes: a line that says what was copied from where to where, one line for
 * each object in the order of the listing (`manifestLine`), and a line with the digest of the chain over them. An object
 * that failed and was tried again later has a line for each; the last one holds.
 */
import { createReadStream } from 'node:fs';
import { chainLine, EMPTY_MANIFEST } from '@weir/s3-copy';

const FORMAT = 'weir-copy-manifest/1';

export interface ManifestHeader {
  readonly format: typeof FORMAT;
  readonly source: string;
  readonly sourceUrl: string;
  readonly target: string;
  readonly targetUrl: string;
  readonly mode: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
}

export interface ManifestFooter {
  /** How the copy ended. */
  readonly end: string;
  readonly entries: number;
  readonly digest: string;
}

/** The first line of a manifest. */
export function manifestHeader(about: Omit<ManifestHeader, 'format'>): ManifestHeader {
  return { format: FORMAT, ...about };
}

type Actions = Record<'copied' | 'skipped' | 'failed', number>;

/** What a check found. */
export type LocalManifestCheck =
  | {
      readonly ok: true;
      readonly header: ManifestHeader;
      readonly end: string;
      readonly entries: number;
      readonly digest: string;
      readonly actions: Readonly<Actions>;
      /** Of the objects copied. */
      readonly bytes: number;
    }
  | { readonly ok: false; readonly message: string };

/** Computes the chain again, line by line; memory does not grow with the file. */
export async function checkLocalManifest(file: string): Promise<LocalManifestCheck> {
  let first: ManifestHeader | null = null;
  let last: ManifestFooter | null = null;
  let chain = { ...EMPTY_MANIFEST };
  let number = 0;
  let bytes = 0;
  const actions: Actions = { copied: 0, skipped: 0, failed: 0 };
  for await (const line of linesOf(file)) {
    number += 1;
    const value = parsed(line);
    if (number === 1) {
      if (!isHeader(value)) return { ok: false, message: 'its first line is not that of a manifest' };
      first = value;
    } else if (last !== null) {
      return { ok: false, message: `line ${number} comes after the end` };
    } else if (isFooter(value)) {
      last = value;
    } else {
      const entry = entryOf(value);
      if (entry === null) return { ok: false, message: `line ${number} is neither an object nor the end` };
      chain = chainLine(chain, line);
      actions[entry.action] += 1;
      if (entry.action === 'copied') bytes += entry.sizeBytes;
    }
  }
  if (first === null || last === null) return { ok: false, message: 'it has no end: the copy was killed, or goes on' };
  if (last.entries !== chain.entries || last.digest !== chain.digest) {
    return { ok: false, message: 'its lines are not those that its digest was made of' };
  }
  return { ok: true, header: first, end: last.end, entries: chain.entries, digest: chain.digest, actions, bytes };
}

/** Only a line feed ends a line: keys may hold what else readers of lines take for an end. */
async function* linesOf(file: string): AsyncGenerator<string> {
  let rest = '';
  const chunks: AsyncIterable<string> = createReadStream(file, 'utf8');
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

function isHeader(value: unknown): value is ManifestHeader {
  if (typeof value !== 'object' || value === null) return false;
  const header: Partial<Record<keyof ManifestHeader, unknown>> = value;
  const { format, source, sourceUrl, target, targetUrl, mode, startedAt } = header;
  return (
    format === FORMAT &&
    [source, sourceUrl, target, targetUrl, mode, startedAt].every((text) => typeof text === 'string')
  );
}

function isFooter(value: unknown): value is ManifestFooter {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const footer: Partial<Record<keyof ManifestFooter, unknown>> = value;
  return typeof footer.end === 'string' && typeof footer.entries === 'number' && typeof footer.digest === 'string';
}

function entryOf(value: unknown): { action: keyof Actions; sizeBytes: number } | null {
  if (!Array.isArray(value) || value.length !== 5) return null;
  const [key, size, etag, verified, action]: unknown[] = value;
  if (typeof key !== 'string' || typeof etag !== 'string' || typeof verified !== 'string') return null;
  if (size !== null && typeof size !== 'number') return null;
  if (action !== 'copied' && action !== 'skipped' && action !== 'failed') return null;
  return { action, sizeBytes: size ?? 0 };
}

import { DEFAULT_JOB_OPTIONS, type JobOptions } from '@weir/protocol';
import { formatSetBytes } from '../../format/numbers.ts';
import { formatDateTime } from '../../format/time.ts';

/** Options of a job while they are being entered: texts as they are typed. */
export interface OptionDraft {
  checkBy: JobOptions['checkBy'];
  /** Patterns, one a line. */
  include: string;
  exclude: string;
  /** `10 MiB`; empty: no bound. */
  minSize: string;
  maxSize: string;
  /** `2026-11-30T14:05` in the viewer's zone; empty: no bound. */
  modifiedAfter: string;
  modifiedBefore: string;
  dryRun: boolean;
  serverSideCopy: boolean;
  manifest: boolean;
  /** Not on the form; a duplicate keeps them. */
  multipartThresholdBytes: number;
  partBytes: number;
}

/** What the form begins with. */
export const EMPTY_OPTIONS: OptionDraft = draftOf(DEFAULT_JOB_OPTIONS);

/** The options of a job as texts, for a duplicate. */
export function draftOf(options: JobOptions): OptionDraft {
  const { filter, ...rest } = options;
  return {
    ...rest,
    include: filter.include.join('\n'),
    exclude: filter.exclude.join('\n'),
    minSize: filter.minBytes === null ? '' : `${filter.minBytes}`,
    maxSize: filter.maxBytes === null ? '' : `${filter.maxBytes}`,
    modifiedAfter: filter.modifiedAfterMs === null ? '' : localText(filter.modifiedAfterMs),
    modifiedBefore: filter.modifiedBeforeMs === null ? '' : localText(filter.modifiedBeforeMs),
  };
}

/** Options out of texts, and what cannot be read, by path of the field. */
export function optionsOf(draft: OptionDraft): { options: JobOptions; errors: Record<string, string> } {
  const errors: Record<string, string> = {};
  const size = (field: string, text: string): number | null => {
    const bytes = parseSize(text);
    if (bytes === undefined) errors[`options.filter.${field}`] = 'Enter a size, such as 500, 10 MiB or 1.5 GiB.';
    return bytes ?? null;
  };
  const { include, exclude, minSize, maxSize, modifiedAfter, modifiedBefore, ...rest } = draft;
  const filter = {
    include: linesOf(include),
    exclude: linesOf(exclude),
    minBytes: size('minBytes', minSize),
    maxBytes: size('maxBytes', maxSize),
    modifiedAfterMs: timeOf(modifiedAfter),
    modifiedBeforeMs: timeOf(modifiedBefore),
  };
  return { options: { ...rest, filter }, errors };
}

/** Patterns may begin or end with a space, as keys may; empty lines are none. */
function linesOf(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line !== '');
}

/** A moment that was entered in the viewer's zone; null for none. */
function timeOf(text: string): number | null {
  const atMs = text === '' ? Number.NaN : new Date(text).getTime();
  return Number.isFinite(atMs) ? atMs : null;
}

const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
};

/** Bytes of `500`, `10 kB` (10,000) or `1.5 GiB`; null for an empty text, undefined for one that is no size. */
export function parseSize(text: string): number | null | undefined {
  if (text.trim() === '') return null;
  const found = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(text);
  const unit = UNITS[(found?.[2] ?? '').toLowerCase()];
  if (found === null || unit === undefined) return undefined;
  const bytes = Math.round(Number(found[1]) * unit);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** `2026-11-30T14:05` in the viewer's zone, as fields of this type want it. */
function localText(atMs: number): string {
  const at = new Date(atMs);
  return new Date(atMs - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** What a job does beyond its mode, in words; none for the defaults. */
export function optionWords(options: JobOptions, mode: string): string[] {
  const { filter } = options;
  const words: string[] = [];
  if (options.dryRun) words.push('dry run');
  if (mode !== 'copy-all') words.push(options.checkBy === 'listing' ? 'checks by listing' : 'checks each object');
  if (filter.include.length > 0) words.push(`only ${filter.include.join(', ')}`);
  if (filter.exclude.length > 0) words.push(`without ${filter.exclude.join(', ')}`);
  if (filter.minBytes !== null) words.push(`at least ${formatSetBytes(filter.minBytes)}`);
  if (filter.maxBytes !== null) words.push(`at most ${formatSetBytes(filter.maxBytes)}`);
  if (filter.modifiedAfterMs !== null) words.push(`changed after ${formatDateTime(filter.modifiedAfterMs)}`);
  if (filter.modifiedBeforeMs !== null) words.push(`changed before ${formatDateTime(filter.modifiedBeforeMs)}`);
  if (!options.serverSideCopy) words.push('never copied by the server itself');
  return words;
}

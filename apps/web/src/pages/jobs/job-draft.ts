import { jobInput, type CopyMode, type JobInput, type JobView } from '@weir/protocol';
import { schemaErrors, type FieldErrors } from '../../words/field-errors.ts';
import { draftOf, EMPTY_OPTIONS, optionsOf, type OptionDraft } from './option-draft.ts';

/** One side of a job while it is being entered. */
export interface LocationDraft {
  endpointId: string;
  bucket: string;
  prefix: string;
}

/** A job while it is being entered; `name` empty: the suggested one. */
export interface JobDraft {
  name: string;
  source: LocationDraft;
  target: LocationDraft;
  mode: CopyMode;
  options: OptionDraft;
}

export const EMPTY_JOB: JobDraft = {
  name: '',
  source: { endpointId: '', bucket: '', prefix: '' },
  target: { endpointId: '', bucket: '', prefix: '' },
  mode: 'copy-all',
  options: EMPTY_OPTIONS,
};

/** A draft of a job like another one. */
export function duplicateOf(job: JobView): JobDraft {
  return {
    name: '',
    source: locationOf(job.source),
    target: locationOf(job.target),
    mode: job.mode,
    options: draftOf(job.options),
  };
}

function locationOf({ endpointId, bucket, prefix }: JobView['source']): LocationDraft {
  return { endpointId, bucket, prefix };
}

/** Longest part of a bucket's name in a suggestion, so that two fit into the 64 characters of a name. */
const SUGGESTED_BUCKET_CHARACTERS = 28;

/** Name for a job that has none: `invoices to invoices-copy`; empty until both buckets are known. */
export function suggestedName(draft: JobDraft): string {
  const source = draft.source.bucket.trim().slice(0, SUGGESTED_BUCKET_CHARACTERS);
  const target = draft.target.bucket.trim().slice(0, SUGGESTED_BUCKET_CHARACTERS);
  return source === '' || target === '' ? '' : `${source} to ${target}`;
}

/** Checks a job before anything is sent. Prefixes are taken as they are: a space may be part of a key. */
export function checkJob(draft: JobDraft): { ok: true; input: JobInput } | { ok: false; errors: FieldErrors } {
  const { options, errors: optionErrors } = optionsOf(draft.options);
  const input = {
    ...draft,
    options,
    name: draft.name.trim() || suggestedName(draft),
    source: trimmed(draft.source),
    target: trimmed(draft.target),
  };
  const errors: Record<string, string> = { ...optionErrors };
  for (const where of ['source', 'target'] as const) {
    if (input[where].endpointId === '') errors[`${where}.endpointId`] = 'Choose an endpoint, or add one.';
    if (input[where].bucket === '') errors[`${where}.bucket`] = 'Enter the name of a bucket.';
  }
  if (Object.keys(errors).length === 0 && isSamePlace(input.source, input.target)) {
    errors['target.bucket'] = 'Source and target are the same place. Choose another bucket or prefix.';
  }
  const parsed = jobInput.safeParse(input);
  if (parsed.success && Object.keys(errors).length === 0) return { ok: true, input: parsed.data };
  const all = { ...schemaErrors(parsed.error?.issues ?? []), ...errors };
  // An empty name is named after the buckets as soon as they are known: what is missing is said there.
  if (input.name === '') delete all['name'];
  return { ok: false, errors: all };
}

function trimmed(location: LocationDraft): LocationDraft {
  return { ...location, bucket: location.bucket.trim() };
}

function isSamePlace(a: LocationDraft, b: LocationDraft): boolean {
  return a.endpointId === b.endpointId && a.bucket === b.bucket && a.prefix === b.prefix;
}

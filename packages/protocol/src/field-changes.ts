import { z } from 'zod';

/** A value as the audit log names it: one line at most, never a secret. */
export const changedValue = z.union([z.string(), z.number(), z.boolean(), z.null()]);
export type ChangedValue = z.infer<typeof changedValue>;

/** One field that was changed. `null` stands for none: it was not there before, or is not there any more. */
export const fieldChange = z.object({
  /** Path of the field: `globalLimitTps`, `pacing.mode`, `limitSchedule.rules.0`. */
  field: z.string(),
  before: changedValue,
  after: changedValue,
});
export type FieldChange = z.infer<typeof fieldChange>;

/** Fields with their values, by path. */
export type NamedValues = Readonly<Record<string, ChangedValue>>;

/** What is different, in the order of the fields; those that are only in `before` come last. */
export function fieldChanges(before: NamedValues, after: NamedValues): FieldChange[] {
  const fields = new Set([...Object.keys(after), ...Object.keys(before)]);
  return [...fields].flatMap((field) => {
    const change = { field, before: before[field] ?? null, after: after[field] ?? null };
    return change.before === change.after ? [] : [change];
  });
}

/**
 * What is different between two lists whose order counts, as `field.0`, `field.1` … What both begin and end with is left out, so
 * that an entry that is put in or taken out is one change and not a change of all that follow it.
 */
export function listChanges(field: string, before: readonly string[], after: readonly string[]): FieldChange[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const changed = Math.max(before.length, after.length) - head - tail;
  return Array.from({ length: changed }, (_, at) => ({
    field: `${field}.${head + at}`,
    before: head + at < before.length - tail ? (before[head + at] ?? null) : null,
    after: head + at < after.length - tail ? (after[head + at] ?? null) : null,
  }));
}

import { quotaInput, type QuotaInput, type QuotaView } from '@weir/protocol';
import { schemaErrors, type FieldErrors } from '../../words/field-errors.ts';
import { parseWhole } from '../settings/numbers-typed.ts';

/** The form of a quota while it is being filled in: numbers are text until they are checked. */
export interface QuotaDraft extends Omit<QuotaInput, 'limit' | 'period'> {
  limitText: string;
  countText: string;
  unit: QuotaInput['period']['unit'];
}

/** What the form for a new quota starts with. */
export function emptyQuota(storeId: string): QuotaDraft {
  return {
    storeId,
    quota: '',
    limitText: '1000',
    countText: '1',
    unit: 'day',
    zone: 'UTC',
    outage: 'closed',
    shadow: false,
    subjects: 'text',
  };
}

/** The form as a quota fills it. */
export function quotaDraftOf({ storeId, quota, limit, period, zone, outage, shadow, subjects }: QuotaView): QuotaDraft {
  return {
    storeId,
    quota,
    limitText: String(limit),
    countText: String(period.count),
    unit: period.unit,
    zone,
    outage,
    shadow,
    subjects,
  };
}

/** The quota that a form stands for, or what is wrong with it. */
export function checkQuota(draft: QuotaDraft): { ok: true; input: QuotaInput } | { ok: false; errors: FieldErrors } {
  const { limitText, countText, unit, ...rest } = draft;
  const limit = parseWhole(limitText);
  const count = parseWhole(countText);
  const errors: Record<string, string> = {};
  if (rest.storeId === '') errors['storeId'] = 'Choose a store.';
  if (rest.quota.trim() === '') errors['quota'] = 'Give the quota a name.';
  if (limit === null) errors['limit'] = 'Enter a whole number, for example 1000.';
  if (count === null) errors['period.count'] = 'Enter a whole number, for example 15.';
  const parsed = quotaInput.safeParse({
    ...rest,
    quota: rest.quota.trim(),
    zone: rest.zone.trim(),
    limit,
    period: { unit, count },
  });
  if (parsed.success && Object.keys(errors).length === 0) return { ok: true, input: parsed.data };
  return { ok: false, errors: { ...schemaErrors(parsed.error?.issues ?? []), ...errors } };
}

/** What of the form each field of a change is; the others have the same name. */
const KEYS: Readonly<Record<string, keyof QuotaDraft>> = {
  limit: 'limitText',
  // Typed in as a whole: see below.
  period: 'countText',
};

/** Whether a form that began as `from` was changed in a field. */
export function isQuotaFieldTyped(mine: QuotaDraft, from: QuotaDraft, field: string): boolean {
  return typedKeys(mine, from).includes(KEYS[field] ?? field);
}

/** What was typed into a form that began as `from`, on top of `onto`: everything else is as there. */
export function rebaseQuota(mine: QuotaDraft, from: QuotaDraft, onto: QuotaDraft): QuotaDraft {
  const typed = new Set(typedKeys(mine, from));
  return { ...onto, ...Object.fromEntries(Object.entries(mine).filter(([key]) => typed.has(key))) };
}

/** The length of a period and its unit mean something together only. */
function typedKeys(mine: QuotaDraft, from: QuotaDraft): string[] {
  const began = new Map<string, unknown>(Object.entries(from));
  const typed = Object.entries(mine).flatMap(([key, value]) => (value === began.get(key) ? [] : [key]));
  return typed.includes('countText') || typed.includes('unit') ? [...typed, 'countText', 'unit'] : typed;
}

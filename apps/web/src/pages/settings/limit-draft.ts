import {
  governorSettings,
  MAX_GLOBAL_LIMIT_TPS,
  MIN_GLOBAL_LIMIT_TPS,
  type GovernorSettings,
  type TransactionType,
} from '@weir/protocol';
import { formatCount } from '../../format/numbers.ts';
import { schemaErrors, type FieldErrors } from '../../words/field-errors.ts';

/** The form of TPS Rate Limiting while it is being edited: numbers are text until they are checked. */
export interface LimitDraft {
  enabled: boolean;
  limitText: string;
  types: Record<TransactionType, boolean>;
  thresholdText: string;
}

/** The form as the saved settings fill it. */
export function draftOf(settings: GovernorSettings): LimitDraft {
  return {
    enabled: settings.enabled,
    limitText: String(settings.globalLimitTps),
    types: settings.transactionTypes,
    thresholdText: String(settings.alarmThresholdPercent),
  };
}

/** Whether two drafts would be saved as the same settings. */
export function isSameDraft(a: LimitDraft, b: LimitDraft): boolean {
  return JSON.stringify(comparable(a)) === JSON.stringify(comparable(b));
}

function comparable(draft: LimitDraft): unknown {
  return [
    draft.enabled,
    parseWhole(draft.limitText) ?? draft.limitText.trim(),
    draft.types.LIST,
    draft.types.GET,
    draft.types.PUT,
    draft.types.DELETE,
    parsePercent(draft.thresholdText) ?? draft.thresholdText.trim(),
  ];
}

/** Reads a whole number, also with thousands separated (`10,000`, `10 000`); null: it is none. */
export function parseWhole(text: string): number | null {
  const trimmed = text.trim();
  const plain = /^\d{1,3}([, ]\d{3})+$/.test(trimmed) ? trimmed.replace(/[, ]/g, '') : trimmed;
  if (!/^[+-]?\d+$/.test(plain)) return null;
  const value = Number(plain);
  return Number.isSafeInteger(value) ? value : null;
}

function parsePercent(text: string): number | null {
  const trimmed = text.trim().replace(/\s*%$/, '').replace(',', '.');
  return /^\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) : null;
}

/** What leaving the field of the limit does with its text. */
export interface SettledLimit {
  text: string;
  error: string | null;
  note: string | null;
}

/** A lower value becomes 100, with a note; what is no whole number stays, with an error. */
export function settleLimit(text: string): SettledLimit {
  const value = parseWhole(text);
  if (value === null) {
    return { text, error: 'Enter a whole number of TPS, for example 10000.', note: null };
  }
  if (value > MAX_GLOBAL_LIMIT_TPS) {
    return { text, error: `Enter at most ${formatCount(MAX_GLOBAL_LIMIT_TPS)} TPS.`, note: null };
  }
  if (value < MIN_GLOBAL_LIMIT_TPS) {
    return {
      text: String(MIN_GLOBAL_LIMIT_TPS),
      error: null,
      note: `Raised from ${value} to ${MIN_GLOBAL_LIMIT_TPS}: the coordinator never enforces less.`,
    };
  }
  return { text: String(value), error: null, note: null };
}

/** Problem of the threshold's text; null: none. */
export function thresholdError(text: string): string | null {
  const value = parsePercent(text);
  return value === null || value < 1 || value > 100 ? 'Enter a percentage from 1 to 100, for example 95.' : null;
}

/** The settings that a draft stands for, or what is wrong with it. */
export function checkDraft(
  draft: LimitDraft,
): { ok: true; settings: GovernorSettings } | { ok: false; errors: FieldErrors } {
  const limit = settleLimit(draft.limitText);
  const threshold = thresholdError(draft.thresholdText);
  const errors: Record<string, string> = {};
  if (limit.error !== null) errors['globalLimitTps'] = limit.error;
  if (threshold !== null) errors['alarmThresholdPercent'] = threshold;
  const parsed = governorSettings.safeParse({
    enabled: draft.enabled,
    globalLimitTps: parseWhole(limit.text),
    transactionTypes: draft.types,
    alarmThresholdPercent: parsePercent(draft.thresholdText),
  });
  if (parsed.success && Object.keys(errors).length === 0) return { ok: true, settings: parsed.data };
  return { ok: false, errors: { ...schemaErrors(parsed.error?.issues ?? []), ...errors } };
}

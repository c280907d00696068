import {
  completeSettings,
  governorSettings,
  MAX_GLOBAL_LIMIT_TPS,
  MIN_GLOBAL_LIMIT_TPS,
  settingsConflicts,
  type GovernorSettings,
  type TransactionType,
} from '@weir/protocol';
import { formatCount } from '../../format/numbers.ts';
import { beyondDraftOf, beyondSettings, type BeyondDraft } from './beyond-draft.ts';
import { parseWhole } from './numbers-typed.ts';
import { schemaErrors, type FieldErrors } from '../../words/field-errors.ts';

/** The form of TPS Rate Limiting while it is being edited: numbers are text until they are checked. */
export interface LimitDraft {
  enabled: boolean;
  limitText: string;
  types: Record<TransactionType, boolean>;
  thresholdText: string;
  /** What goes beyond the documented settings. */
  beyond: BeyondDraft;
}

/** The form as the saved settings fill it. `zone` is offered for a first schedule. */
export function draftOf(settings: GovernorSettings, zone?: string): LimitDraft {
  return {
    enabled: settings.enabled,
    limitText: String(settings.globalLimitTps),
    types: settings.transactionTypes,
    thresholdText: String(settings.alarmThresholdPercent),
    beyond: beyondDraftOf(settings, zone),
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
    beyondComparable(draft.beyond),
  ];
}

/** A time zone says nothing while there is no rule. */
function beyondComparable(beyond: BeyondDraft): unknown {
  return beyond.rules.length === 0 ? { ...beyond, zone: '' } : beyond;
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
    ...beyondSettings(draft.beyond),
  });
  for (const { field, problem } of parsed.success ? settingsConflicts(completeSettings(parsed.data)) : []) {
    errors[field] ??= `They ${problem}.`;
  }
  if (parsed.success && Object.keys(errors).length === 0) return { ok: true, settings: parsed.data };
  return { ok: false, errors: { ...schemaErrors(parsed.error?.issues ?? []), ...errors } };
}

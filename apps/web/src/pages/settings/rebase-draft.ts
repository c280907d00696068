import { TRANSACTION_TYPES, type TransactionType } from '@weir/protocol';
import type { BeyondDraft } from './beyond-draft.ts';
import type { LimitDraft } from './limit-draft.ts';

/** What of a form belongs together: whoever typed in any of it decides all of it. */
interface Part {
  /** Path of the setting, as changes name it. */
  setting: string;
  of(draft: LimitDraft): unknown;
  /** `onto` with this part of `mine`. */
  carry(mine: LimitDraft, onto: LimitDraft): LimitDraft;
}

function plain(setting: string, key: 'enabled' | 'limitText' | 'thresholdText'): Part {
  return { setting, of: (draft) => draft[key], carry: (mine, onto) => ({ ...onto, [key]: mine[key] }) };
}

function charged(type: TransactionType): Part {
  return {
    setting: `transactionTypes.${type}`,
    of: ({ types }) => types[type],
    carry: (mine, onto) => ({ ...onto, types: { ...onto.types, [type]: mine.types[type] } }),
  };
}

function beyond(setting: string, ...keys: (keyof BeyondDraft)[]): Part {
  const of = (draft: LimitDraft): Partial<BeyondDraft> =>
    Object.fromEntries(keys.map((key) => [key, draft.beyond[key]]));
  return {
    setting,
    of,
    carry: (mine, onto) => ({ ...onto, beyond: { ...onto.beyond, ...of(mine) } }),
  };
}

const PARTS: readonly Part[] = [
  plain('enabled', 'enabled'),
  plain('globalLimitTps', 'limitText'),
  ...TRANSACTION_TYPES.map(charged),
  plain('alarmThresholdPercent', 'thresholdText'),
  beyond('allocationPolicy', 'policy'),
  beyond('costModel', 'costModel'),
  beyond('pacing', 'paced', 'burstText'),
  beyond('overshootGuard', 'guard'),
  beyond('consoleLost', 'safeRate', 'safeText'),
  beyond('slowDownReaction', 'lowerLimit', 'floorText'),
  // Hours mean something in their zone only.
  beyond('limitSchedule', 'zone', 'rules'),
  beyond('jobShares', 'shares'),
];

function typedParts(mine: LimitDraft, from: LimitDraft): Part[] {
  return PARTS.filter((part) => JSON.stringify(part.of(mine)) !== JSON.stringify(part.of(from)));
}

/** Whether a form that began as `from` was changed in what a change names, such as `pacing.mode`. */
export function isTyped(mine: LimitDraft, from: LimitDraft, field: string): boolean {
  return typedParts(mine, from).some(({ setting }) => field === setting || field.startsWith(`${setting}.`));
}

/** What was typed into a form that began as `from`, on top of `onto`: everything else is as there. */
export function rebaseDraft(mine: LimitDraft, from: LimitDraft, onto: LimitDraft): LimitDraft {
  return typedParts(mine, from).reduce((draft, part) => part.carry(mine, draft), onto);
}

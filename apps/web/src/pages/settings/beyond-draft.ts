import {
  completeSettings,
  MIN_GLOBAL_LIMIT_TPS,
  type AllocationPolicyName,
  type CompleteGovernorSettings,
  type CostModelName,
  type GovernorSettings,
  type Weekday,
} from '@weir/protocol';
import { parseWhole } from './numbers-typed.ts';

/** Limits for certain hours, while they are being edited. */
export interface RuleDraft {
  days: Weekday[];
  from: string;
  to: string;
  limitText: string;
}

/** What one job gets, while it is being edited. */
export interface ShareDraft {
  jobId: string;
  weightText: string;
  minimumText: string;
}

/** Settings beyond the documented ones, while they are being edited: numbers are text until they are checked. */
export interface BeyondDraft {
  policy: AllocationPolicyName;
  costModel: CostModelName;
  paced: boolean;
  burstText: string;
  guard: boolean;
  safeRate: boolean;
  safeText: string;
  lowerLimit: boolean;
  floorText: string;
  zone: string;
  rules: RuleDraft[];
  shares: ShareDraft[];
}

/** Hours of a new rule: a working day. */
export const NEW_RULE: RuleDraft = {
  days: ['mon', 'tue', 'wed', 'thu', 'fri'],
  from: '08:00',
  to: '18:00',
  limitText: '2000',
};

/** The form as saved settings fill it. `zone` is offered for a first schedule. */
export function beyondDraftOf(saved: GovernorSettings, zone = 'UTC'): BeyondDraft {
  const settings = completeSettings(saved);
  const { pacing, consoleLost, slowDownReaction, limitSchedule, jobShares } = settings;
  return {
    policy: settings.allocationPolicy,
    costModel: settings.costModel,
    paced: pacing.mode === 'paced',
    burstText: String(pacing.burstSeconds),
    guard: settings.overshootGuard,
    safeRate: consoleLost.mode === 'safe-rate',
    safeText: String(consoleLost.safeTps),
    lowerLimit: slowDownReaction.mode === 'lower-limit',
    floorText: String(slowDownReaction.floorTps),
    zone: limitSchedule?.timeZone ?? zone,
    rules: (limitSchedule?.rules ?? []).map(({ days, from, to, limitTps }) => ({
      days: [...days],
      from,
      to,
      limitText: String(limitTps),
    })),
    shares: jobShares.map(({ jobId, weight, minimumTps }) => ({
      jobId,
      weightText: String(weight),
      minimumText: String(minimumTps),
    })),
  };
}

function decimal(text: string): number {
  const trimmed = text.trim().replace(',', '.');
  return /^\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) : Number.NaN;
}

/** A whole number as it was typed; what is none is `NaN`, which the schema refuses in its own words. */
function whole(text: string): number {
  return parseWhole(text) ?? Number.NaN;
}

/** A number that its choice hides cannot be wrong: what is none is another one then. */
function hidden(shown: boolean, value: number, otherwise: number): number {
  return shown || !Number.isNaN(value) ? value : otherwise;
}

/** The settings that a form stands for. What was typed wrongly is `NaN`; hidden fields keep their value if it is usable. */
export function beyondSettings(
  draft: BeyondDraft,
): Pick<
  CompleteGovernorSettings,
  | 'allocationPolicy'
  | 'costModel'
  | 'pacing'
  | 'overshootGuard'
  | 'consoleLost'
  | 'slowDownReaction'
  | 'jobShares'
  | 'limitSchedule'
> {
  return {
    allocationPolicy: draft.policy,
    costModel: draft.costModel,
    pacing: {
      mode: draft.paced ? 'paced' : 'off',
      burstSeconds: hidden(draft.paced, decimal(draft.burstText), 0.05),
    },
    overshootGuard: draft.guard,
    consoleLost: {
      mode: draft.safeRate ? 'safe-rate' : 'park',
      safeTps: hidden(draft.safeRate, decimal(draft.safeText), 10),
    },
    slowDownReaction: {
      mode: draft.lowerLimit ? 'lower-limit' : 'off',
      floorTps: hidden(draft.lowerLimit, whole(draft.floorText), MIN_GLOBAL_LIMIT_TPS),
    },
    jobShares: draft.shares.map(({ jobId, weightText, minimumText }) => ({
      jobId,
      weight: decimal(weightText),
      minimumTps: decimal(minimumText),
    })),
    limitSchedule:
      draft.rules.length === 0
        ? null
        : {
            timeZone: draft.zone.trim(),
            rules: draft.rules.map(({ days, from, to, limitText }) => ({
              days,
              from,
              to,
              limitTps: whole(limitText),
            })),
          },
  };
}

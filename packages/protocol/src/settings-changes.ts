import { fieldChanges, listChanges, type FieldChange, type NamedValues } from './field-changes.ts';
import { WEEKDAYS, type ScheduleRule } from './limit-schedule.ts';
import type { QuotaInput } from './quotas.ts';
import type { CompleteGovernorSettings, JobShare } from './settings.ts';

/**
 * Which governor settings are different, each with its old and its new value. Jobs go by their ids, so their order is none; rules of
 * the schedule go by their place. At most one for each setting, job and rule: a few hundred.
 */
export function governorSettingsChanges(
  before: CompleteGovernorSettings,
  after: CompleteGovernorSettings,
): FieldChange[] {
  return [
    ...fieldChanges(valuesOf(before), valuesOf(after)),
    ...listChanges('limitSchedule.rules', rulesOf(before), rulesOf(after)),
    ...fieldChanges(sharesOf(before.jobShares), sharesOf(after.jobShares)),
  ];
}

/** Which fields of a quota's definition are different. */
export function quotaChanges(before: QuotaInput, after: QuotaInput): FieldChange[] {
  return fieldChanges(definitionOf(before), definitionOf(after));
}

function valuesOf(settings: CompleteGovernorSettings): NamedValues {
  const { transactionTypes: types, pacing, consoleLost, slowDownReaction, limitSchedule } = settings;
  return {
    enabled: settings.enabled,
    globalLimitTps: settings.globalLimitTps,
    'transactionTypes.LIST': types.LIST,
    'transactionTypes.GET': types.GET,
    'transactionTypes.PUT': types.PUT,
    'transactionTypes.DELETE': types.DELETE,
    alarmThresholdPercent: settings.alarmThresholdPercent,
    allocationPolicy: settings.allocationPolicy,
    costModel: settings.costModel,
    'pacing.mode': pacing.mode,
    'pacing.burstSeconds': pacing.burstSeconds,
    overshootGuard: settings.overshootGuard,
    'consoleLost.mode': consoleLost.mode,
    'consoleLost.safeTps': consoleLost.safeTps,
    'slowDownReaction.mode': slowDownReaction.mode,
    'slowDownReaction.floorTps': slowDownReaction.floorTps,
    'limitSchedule.timeZone': limitSchedule?.timeZone ?? null,
  };
}

function rulesOf({ limitSchedule }: CompleteGovernorSettings): string[] {
  return (limitSchedule?.rules ?? []).map(ruleText);
}

/** `mon tue 08:00-18:00 2000 TPS`; days in the order of a week, however they were listed. */
function ruleText({ days, from, to, limitTps }: ScheduleRule): string {
  const week = [...WEEKDAYS.slice(1), ...WEEKDAYS.slice(0, 1)];
  return `${week.filter((day) => days.includes(day)).join(' ')} ${from}-${to} ${limitTps} TPS`;
}

function sharesOf(shares: readonly JobShare[]): NamedValues {
  return Object.fromEntries(
    shares.map(({ jobId, weight, minimumTps }) => [
      `jobShares.${jobId}`,
      `weight ${weight}, minimum ${minimumTps} TPS`,
    ]),
  );
}

function definitionOf({ period, ...rest }: QuotaInput): NamedValues {
  return {
    quota: rest.quota,
    storeId: rest.storeId,
    limit: rest.limit,
    // One without the other says nothing.
    period: `${period.count} ${period.unit}`,
    zone: rest.zone,
    outage: rest.outage,
    shadow: rest.shadow,
    subjects: rest.subjects,
  };
}

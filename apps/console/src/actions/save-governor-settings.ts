import {
  completeSettings,
  DEFAULT_GOVERNOR_SETTINGS,
  settingsConflicts,
  withEnforcedMinimum,
  type CompleteGovernorSettings,
  type GovernorSettings,
  type VersionedGovernorSettings,
} from '@weir/protocol';
import { audit } from './audit-trail.ts';
import { ConsoleError } from './console-error.ts';
import { momentOf, type ConsoleContext } from './context.ts';
import { evaluateAlarms } from './evaluate-alarms.ts';

/**
 * Saves the governor's settings, the limit raised to the lowest that is enforced; what the input does not mention keeps its
 * value. They are in force at once.
 * @throws ConsoleError validation-failed when settings do not fit together
 */
export async function saveGovernorSettings(
  context: ConsoleContext,
  input: GovernorSettings,
  actor: string,
): Promise<VersionedGovernorSettings> {
  const saved = await context.storage.transaction(async (stores) => {
    const before = await stores.settings.governor();
    const known = before === undefined ? DEFAULT_GOVERNOR_SETTINGS : completeSettings(before.settings);
    const settings = withEnforcedMinimum(completeSettings(input, known));
    requireConsistent(settings);
    const next = {
      version: (before?.version ?? 0) + 1,
      changedBy: actor,
      changedAtMs: context.clock.nowMs(),
      settings,
    };
    await stores.settings.saveGovernor(next);
    const subject = `version ${next.version}`;
    await audit(context, stores, { actor, action: 'settings.governor', subject, detail: detailOf(settings) });
    return next;
  });
  // Two saves may come back in either order; the later version counts.
  if (saved.version > context.governor.version) {
    context.governor = saved;
    context.governing.configure(saved.settings, momentOf(context));
  }
  await evaluateAlarms(context, { checkClear: false });
  return saved;
}

function requireConsistent(settings: CompleteGovernorSettings): void {
  const fields = settingsConflicts(settings);
  if (fields.length === 0) return;
  const [first] = fields;
  throw new ConsoleError(
    'validation-failed',
    `These settings do not fit together: ${first?.field} ${first?.problem}.`,
    {
      fields,
    },
  );
}

function detailOf(settings: CompleteGovernorSettings): Record<string, string | number | boolean> {
  const { LIST, GET, PUT, DELETE } = settings.transactionTypes;
  const types = Object.entries({ LIST, GET, PUT, DELETE }).filter(([, charged]) => charged);
  const { pacing, consoleLost, slowDownReaction, limitSchedule } = settings;
  return {
    enabled: settings.enabled,
    globalLimitTps: settings.globalLimitTps,
    alarmThresholdPercent: settings.alarmThresholdPercent,
    transactionTypes: types.map(([type]) => type).join(' '),
    allocationPolicy: settings.allocationPolicy,
    costModel: settings.costModel,
    pacing: pacing.mode === 'off' ? 'off' : `paced, bursts of ${pacing.burstSeconds} s`,
    overshootGuard: settings.overshootGuard,
    consoleLost: consoleLost.mode === 'park' ? 'park' : `${consoleLost.safeTps} TPS per agent`,
    slowDownReaction: slowDownReaction.mode === 'off' ? 'off' : `not below ${slowDownReaction.floorTps} TPS`,
    jobShares: settings.jobShares.length,
    limitScheduleRules: limitSchedule?.rules.length ?? 0,
  };
}

import { withEnforcedMinimum, type GovernorSettings, type VersionedGovernorSettings } from '@weir/protocol';
import { audit } from './audit-trail.ts';
import type { ConsoleContext } from './context.ts';
import { evaluateAlarms } from './evaluate-alarms.ts';

/** Saves the governor's settings, the limit raised to the lowest that is enforced. They are in force at once. */
export async function saveGovernorSettings(
  context: ConsoleContext,
  input: GovernorSettings,
  actor: string,
): Promise<VersionedGovernorSettings> {
  const settings = withEnforcedMinimum(input);
  const saved = await context.storage.transaction(async (stores) => {
    const before = await stores.settings.governor();
    const next = {
      version: (before?.version ?? 0) + 1,
      changedBy: actor,
      changedAtMs: context.clock.nowMs(),
      settings,
    };
    await stores.settings.saveGovernor(next);
    const { LIST, GET, PUT, DELETE } = settings.transactionTypes;
    const types = Object.entries({ LIST, GET, PUT, DELETE }).filter(([, charged]) => charged);
    const detail = {
      enabled: settings.enabled,
      globalLimitTps: settings.globalLimitTps,
      alarmThresholdPercent: settings.alarmThresholdPercent,
      transactionTypes: types.map(([type]) => type).join(' '),
    };
    await audit(context, stores, { actor, action: 'settings.governor', subject: `version ${next.version}`, detail });
    return next;
  });
  // Two saves may come back in either order; the later version counts.
  if (saved.version > context.governor.version) {
    context.governor = saved;
    context.coordinator.configure({ enabled: settings.enabled, globalLimitTps: settings.globalLimitTps });
  }
  await evaluateAlarms(context, { checkClear: false });
  return saved;
}

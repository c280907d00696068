import {
  completeSettings,
  DEFAULT_GOVERNOR_SETTINGS,
  governorSettingsChanges,
  settingsConflicts,
  withEnforcedMinimum,
  type CompleteGovernorSettings,
  type GovernorSettings,
  type VersionedGovernorSettings,
} from '@weir/protocol';
import type { Stores } from '../ports/storage.ts';
import { audit } from './audit-trail.ts';
import { ConsoleError } from './console-error.ts';
import { momentOf, type ConsoleContext } from './context.ts';
import { evaluateAlarms } from './evaluate-alarms.ts';
import { requireMadeFrom } from './made-from.ts';

/**
 * Saves the governor's settings, the limit raised to the lowest that is enforced; what the input does not mention keeps its
 * value. They are in force at once. Settings that are saved as they are already make no new version.
 * @param ifMatch what the input was made from; absent: it replaces whatever is there
 * @throws ConsoleError changed-meanwhile; validation-failed when settings do not fit together
 */
export async function saveGovernorSettings(
  context: ConsoleContext,
  input: GovernorSettings,
  actor: string,
  ifMatch?: string,
): Promise<VersionedGovernorSettings> {
  const saved = await context.storage.transaction((stores) => save(context, stores, { input, actor, ifMatch }));
  // Two saves may come back in either order; the later version counts.
  if (saved.version > context.governor.version) {
    context.governor = saved;
    context.governing.configure(saved.settings, momentOf(context));
  }
  await evaluateAlarms(context, { checkClear: false });
  return saved;
}

async function save(
  context: ConsoleContext,
  stores: Stores,
  { input, actor, ifMatch }: { input: GovernorSettings; actor: string; ifMatch: string | undefined },
): Promise<VersionedGovernorSettings> {
  const before = await stores.settings.governor();
  const known = before === undefined ? DEFAULT_GOVERNOR_SETTINGS : completeSettings(before.settings);
  const settings = withEnforcedMinimum(completeSettings(input, known));
  const changes = governorSettingsChanges(known, settings);
  // Before they are compared: who repeats a save whose answer was lost, or wants what somebody else did, loses nothing.
  if (before !== undefined && changes.length === 0) return { ...before, settings: known };
  requireMadeFrom(ifMatch, before ?? context.governor, 'these settings');
  requireConsistent(settings);
  const version = (before?.version ?? 0) + 1;
  const next = { version, changedBy: actor, changedAtMs: context.clock.nowMs(), settings };
  await stores.settings.saveGovernor(next);
  const subject = `version ${version}`;
  await audit(context, stores, { actor, action: 'settings.governor', subject, detail: {}, changes });
  return next;
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

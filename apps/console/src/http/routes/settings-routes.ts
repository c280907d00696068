import { acknowledgeAlarm } from '../../actions/acknowledge-alarm.ts';
import type { ConsoleContext } from '../../actions/context.ts';
import { listAlarms } from '../../actions/list-alarms.ts';
import { saveGovernorSettings } from '../../actions/save-governor-settings.ts';
import { personOf, type Handlers } from '../call.ts';

/** Settings and alarms. */
export function settingsRoutes(
  context: ConsoleContext,
): Pick<Handlers, 'governorSettings' | 'saveGovernorSettings' | 'alarms' | 'acknowledgeAlarm'> {
  return {
    governorSettings: () => context.governor,
    saveGovernorSettings: (call) => saveGovernorSettings(context, call.body, personOf(call).username),
    alarms: async ({ query }) => ({ alarms: await listAlarms(context, query.limit) }),
    acknowledgeAlarm: (call) => acknowledgeAlarm(context, call.params.alarmId, personOf(call).username),
  };
}

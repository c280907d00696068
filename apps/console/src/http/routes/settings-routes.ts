import type { ConsoleContext } from '../../actions/context.ts';
import { saveGovernorSettings } from '../../actions/save-governor-settings.ts';
import { personOf, type Handlers } from '../call.ts';

/** Settings. */
export function settingsRoutes(context: ConsoleContext): Pick<Handlers, 'governorSettings' | 'saveGovernorSettings'> {
  return {
    governorSettings: () => context.governor,
    saveGovernorSettings: (call) => saveGovernorSettings(context, call.body, personOf(call).username),
  };
}

import type { ConsoleContext } from '../../actions/context.ts';
import { withEtag } from '../../actions/made-from.ts';
import { saveGovernorSettings } from '../../actions/save-governor-settings.ts';
import { personOf, type Handlers } from '../call.ts';

/** Settings. */
export function settingsRoutes(context: ConsoleContext): Pick<Handlers, 'governorSettings' | 'saveGovernorSettings'> {
  return {
    governorSettings: () => withEtag(context.governor),
    async saveGovernorSettings(call) {
      const { body, query } = call;
      return withEtag(await saveGovernorSettings(context, body, personOf(call).username, query.ifMatch));
    },
  };
}

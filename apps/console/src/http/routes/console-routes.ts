import type { ConsoleContext } from '../../actions/context.ts';
import { listConsoles, type Surroundings } from '../../actions/list-consoles.ts';
import type { Handlers } from '../call.ts';

/** Which consoles there are. */
export function consoleRoutes(context: ConsoleContext, surroundings: Surroundings): Pick<Handlers, 'consoles'> {
  return { consoles: () => listConsoles(context, surroundings) };
}

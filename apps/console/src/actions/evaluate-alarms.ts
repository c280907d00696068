import type { ConsoleContext } from './context.ts';

/** Fires and clears alarms; waits for the rule table of @weir/governor. */
export async function evaluateAlarms(_context: ConsoleContext, _check: { checkClear: boolean }): Promise<void> {}

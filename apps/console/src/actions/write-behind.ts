import type { ConsoleContext } from './context.ts';

/**
 * Writes what heartbeats changed since the last time, in one transaction. A console that dies loses at most what came
 * after the last write: a second of heartbeat times and window records, which cost nothing but a gap in the history.
 */
export async function writeBehind(context: ConsoleContext): Promise<void> {
  const agents = context.fleet.takeChanged();
  const windows = context.windows.splice(0);
  if (agents.length === 0 && windows.length === 0) return;
  await context.storage.transaction(async (stores) => {
    await stores.agents.save(agents);
    await stores.history.addWindows(windows);
  });
}

import type { ConsoleContext } from './context.ts';

/** Finished windows that wait to be written at most, while the database cannot be written. */
const MAX_WAITING_WINDOWS = 100_000;

/**
 * Writes what heartbeats changed since the last time, in one transaction. A console that dies loses at most what came
 * after the last write: a second of heartbeat times and window records, which cost nothing but a gap in the history.
 */
export async function writeBehind(context: ConsoleContext): Promise<void> {
  const agents = context.fleet.takeChanged();
  const windows = context.windows.splice(0);
  if (agents.length === 0 && windows.length === 0) return;
  try {
    await context.storage.transaction(async (stores) => {
      await stores.agents.save(agents);
      await stores.history.addWindows(windows);
    });
  } catch (error) {
    // Kept for the next turn, up to a bound: a full disk must not become a full memory.
    context.fleet.changedAgain(agents);
    context.windows = [...windows, ...context.windows].slice(-MAX_WAITING_WINDOWS);
    throw error;
  }
}

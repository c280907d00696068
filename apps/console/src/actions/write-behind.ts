import type { ConsoleContext } from './context.ts';

/** Rows of each kind in one transaction: those of others wait meanwhile. */
const BATCH_ROWS = 256;

/**
 * Writes what heartbeats changed since the last time, in batches with a turn for others in between. A console that dies
 * loses at most what came after the last write: a second of heartbeat times and window records, which cost nothing but a
 * gap in the history.
 */
export async function writeBehind(context: ConsoleContext): Promise<void> {
  // What comes while this runs is left for the next time, so that it ends.
  let batches = Math.ceil(Math.max(context.fleet.unwritten.size, context.windows.size) / BATCH_ROWS);
  for (; batches > 0; batches -= 1) {
    await writeBatch(context);
    if (batches > 1) await new Promise((resolve) => setImmediate(resolve));
  }
}

async function writeBatch(context: ConsoleContext): Promise<void> {
  const agents = context.fleet.unwritten.take(BATCH_ROWS);
  const windows = context.windows.take(BATCH_ROWS);
  if (agents.changed.length === 0 && agents.heard.length === 0 && windows.length === 0) return;
  try {
    await context.storage.transaction(async (stores) => {
      await stores.agents.save(agents.changed);
      await stores.agents.saveHeard(agents.heard);
      await stores.history.addWindows(windows);
    });
  } catch (error) {
    // Kept for the next turn.
    context.fleet.unwritten.again(agents, (agentId) => context.fleet.get(agentId));
    context.windows.again(windows);
    throw error;
  }
}

import type { WindowRecord } from '@weir/protocol';
import type { ConsoleContext } from './context.ts';
import { writeBehind } from './write-behind.ts';

/** Finished windows of all agents, newest first. */
export async function listWindows(context: ConsoleContext, limit: number): Promise<WindowRecord[]> {
  await writeBehind(context);
  return context.storage.history.windows(limit);
}

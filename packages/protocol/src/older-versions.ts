import type { z } from 'zod';
import type { progressRequest } from './jobs.ts';

/** A report as it is written; what has a default may be absent. */
export type WrittenProgress = z.input<typeof progressRequest>;

/** Fields of a report that version 2 brought: a console of version 1 refuses a body with any of them. */
const SINCE_VERSION_2 = [
  'trouble',
  'listed',
  'canSplit',
  'traffic',
  'heldMs',
  'waitedMs',
  'manifest',
  'planned',
] as const satisfies readonly (keyof WrittenProgress)[];

/** A report in the words of a console that speaks `consoleVersion`; the same for one that is as new as this agent. */
export function progressSpoken(report: WrittenProgress, consoleVersion: number): WrittenProgress {
  if (consoleVersion >= 2) return report;
  const spoken = { ...report };
  for (const field of SINCE_VERSION_2) delete spoken[field];
  return spoken;
}

import { z } from 'zod';

/** Which state something has: another one after each change, also when a database was put back. Only to be compared. */
export const etag = z.string().max(64);

/**
 * What a save is made from: the `etag` that was read before. When somebody has changed it since, the save is refused with
 * `changed-meanwhile`. Absent: the save replaces whatever is there; the last one wins.
 */
export const madeFrom = z.strictObject({ ifMatch: etag.optional() });
export type MadeFrom = z.infer<typeof madeFrom>;

import { z } from 'zod';
import { count, id, timestampMs } from './identifiers.ts';

/** Why an agent cannot work on a shard now although it wants to, as it says itself. */
export const shardTrouble = z.object({
  /** Named reason, such as `connection-refused`, `timeout`, `InternalError`. */
  code: z.string().max(64),
  message: z.string().max(1_000),
  /** For how long nothing has worked, in ms (a duration, so that clocks need not agree). */
  forMs: count,
  /** Time to the next try, in ms; null: requests are being repeated all the time. */
  retryInMs: count.nullable(),
});
export type ShardTrouble = z.infer<typeof shardTrouble>;

/** The same as pages see it: which agent, and when on the console's clock. */
export const troubleView = z.object({
  agentId: id,
  agentName: z.string(),
  jobId: id,
  code: z.string(),
  message: z.string(),
  sinceMs: timestampMs,
  nextRetryAtMs: timestampMs.nullable(),
});
export type TroubleView = z.infer<typeof troubleView>;

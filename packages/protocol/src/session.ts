import { z } from 'zod';

/** viewer: reads · operator: runs jobs · admin: settings, endpoints, agents. Each includes the one before. */
export const ROLES = ['viewer', 'operator', 'admin'] as const;
export const role = z.enum(ROLES);
export type Role = z.infer<typeof role>;

export const loginRequest = z.strictObject({
  username: z.string().min(1).max(64),
  password: z.string().min(1).max(256),
});
export const sessionView = z.object({ username: z.string(), role });
export type SessionView = z.infer<typeof sessionView>;

/** Product facts that pages need before and after login. */
export const consoleInfo = z.object({
  product: z.literal('Weir'),
  version: z.string(),
  protocolVersion: z.number().int().positive(),
  windowSeconds: z.number().positive(),
});
export type ConsoleInfo = z.infer<typeof consoleInfo>;

/** What a console says of the group that it belongs to. */
export const groupSeat = z.object({
  /** `leader`: it answers itself; `standby`: it passes requests on to the leader. */
  seat: z.enum(['leader', 'standby']),
  /** Number of the leader's term, larger with each; null while nobody leads. */
  fence: z.number().int().positive().nullable(),
  /** Address at which the consoles of the group reach the leader; null while nobody leads. */
  leaderUrl: z.string().nullable(),
});
export type GroupSeat = z.infer<typeof groupSeat>;

export const health = z.object({
  status: z.literal('ok'),
  uptimeMs: z.number().nonnegative(),
  /** Absent for a console that is alone. */
  group: groupSeat.optional(),
});
export const empty = z.object({});

import { z } from 'zod';
import { count, timestampMs } from './identifiers.ts';
import { role } from './session.ts';

/** Name that a person logs in with: 1–64 characters of a–z, 0–9, `.`, `-` and `_`. */
export const username = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'must be 1–64 characters of a–z, 0–9, ., - and _');

/** A password that is set: 8–256 characters. */
export const newPassword = z
  .string()
  .min(8, 'must have at least 8 characters')
  .max(256, 'must have at most 256 characters');

/** A person who may log in. */
export const accountView = z.object({
  username,
  role,
  /** Null: made before this was written down. */
  createdAtMs: timestampMs.nullable(),
  createdBy: z.string().nullable(),
  passwordChangedAtMs: timestampMs.nullable(),
  /** Null: never logged in, as far as is known. */
  lastLoginAtMs: timestampMs.nullable(),
  /** Logins that have not ended. */
  sessions: count,
});
export type AccountView = z.infer<typeof accountView>;
export const accountList = z.object({ accounts: z.array(accountView) });

/** A new account. Without a password the console makes one up and tells it once. */
export const accountInput = z.strictObject({ username, role, password: newPassword.optional() });
export type AccountInput = z.infer<typeof accountInput>;

/** What became of an account; `password` is the one that the console made up, told this once, null when one was given. */
export const accountSaved = z.object({ account: accountView, password: z.string().nullable() });
export type AccountSaved = z.infer<typeof accountSaved>;

export const roleChange = z.strictObject({ role });

/** A password that an administrator sets for somebody; absent: the console makes one up. */
export const passwordReset = z.strictObject({ password: newPassword.optional() });

/** People change their own password with the present one. */
export const ownPasswordChange = z.strictObject({ currentPassword: z.string().min(1).max(256), newPassword });
export type OwnPasswordChange = z.infer<typeof ownPasswordChange>;

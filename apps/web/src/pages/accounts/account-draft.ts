import { accountInput, newPassword, type AccountInput, type Role } from '@weir/protocol';
import { schemaErrors, type FieldErrors } from '../../words/field-errors.ts';

/** The form for a new account while it is being filled in. */
export interface AccountDraft {
  username: string;
  role: Role;
  /** False: the console makes a password up. */
  typed: boolean;
  password: string;
}

/** What the form starts with. */
export const EMPTY_ACCOUNT: AccountDraft = { username: '', role: 'viewer', typed: false, password: '' };

/** The account that a form stands for, or what is wrong with it. */
export function checkAccount(
  draft: AccountDraft,
): { ok: true; input: AccountInput } | { ok: false; errors: FieldErrors } {
  const username = draft.username.trim();
  const missing: FieldErrors = username === '' ? { username: 'Enter a user name.' } : {};
  const parsed = accountInput.safeParse({
    username,
    role: draft.role,
    ...(draft.typed ? { password: draft.password } : {}),
  });
  if (parsed.success) return { ok: true, input: parsed.data };
  return { ok: false, errors: { ...schemaErrors(parsed.error.issues), ...missing } };
}

/** The form for another password for oneself. */
export interface PasswordDraft {
  currentPassword: string;
  newPassword: string;
  again: string;
}

export const EMPTY_PASSWORDS: PasswordDraft = { currentPassword: '', newPassword: '', again: '' };

/** What is wrong with the form; empty: nothing. */
export function passwordErrors(draft: PasswordDraft): FieldErrors {
  const errors: Record<string, string> = {};
  if (draft.currentPassword === '') errors['currentPassword'] = 'Enter your present password.';
  const parsed = newPassword.safeParse(draft.newPassword);
  if (!parsed.success) errors['newPassword'] = 'Choose one of 8 to 256 characters.';
  else if (draft.newPassword === draft.currentPassword) errors['newPassword'] = 'Choose another one than the present.';
  if (errors['newPassword'] === undefined && draft.again !== draft.newPassword) {
    errors['again'] = 'It differs from the one above.';
  }
  return errors;
}

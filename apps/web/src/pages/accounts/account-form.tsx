import { useState, type FormEvent, type ReactElement } from 'react';
import { ROLES, type AccountSaved, type Role } from '@weir/protocol';
import { useCreateAccount } from '../../data/accounts.ts';
import { Button } from '../../components/button.tsx';
import { CheckField } from '../../components/check-field.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { focusFirstError } from '../../components/focus-first-error.ts';
import { ErrorNotice } from '../../components/notice.tsx';
import { refusedFields, type FieldErrors } from '../../words/field-errors.ts';
import { ROLE_CHOICES, ROLE_WORDS } from '../../words/role-words.ts';
import { checkAccount, EMPTY_ACCOUNT, type AccountDraft } from './account-draft.ts';
import styles from './accounts.module.css';

/** A choice among the roles, with what the chosen one may do. */
export function RoleField({ role, onChange }: { role: Role; onChange: (role: Role) => void }): ReactElement {
  return (
    <SelectField
      label="Role"
      value={role}
      hint={ROLE_WORDS[role].text}
      onChange={(event) => onChange(ROLES.find((one) => one === event.target.value) ?? 'viewer')}
    >
      {ROLE_CHOICES.map((choice) => (
        <option key={choice.role} value={choice.role}>
          {choice.label}
        </option>
      ))}
    </SelectField>
  );
}

/** A typed password, or one that the console makes up. */
export function PasswordChoice({
  typed,
  password,
  error,
  onChange,
}: {
  typed: boolean;
  password: string;
  error: string | undefined;
  onChange: (part: { typed: boolean; password: string }) => void;
}): ReactElement {
  return (
    <>
      <CheckField
        label="Make a password up"
        hint="43 random characters, shown once. Otherwise type one of 8 to 256 characters."
        checked={!typed}
        onChange={(made) => onChange({ typed: !made, password: '' })}
      />
      {typed && (
        <TextField
          label="Password"
          type="password"
          autoComplete="new-password"
          maxLength={256}
          value={password}
          error={error}
          onChange={(event) => onChange({ typed, password: event.target.value })}
        />
      )}
    </>
  );
}

/** Adds an account. */
export function AccountDialog({
  onClose,
  onCreated,
}: {
  onClose: () => void;
  onCreated: (saved: AccountSaved) => void;
}): ReactElement {
  const [draft, setDraft] = useState(EMPTY_ACCOUNT);
  const [errors, setErrors] = useState<FieldErrors>({});
  const create = useCreateAccount();
  const change = (part: Partial<AccountDraft>): void => {
    setDraft({ ...draft, ...part });
    setErrors({});
    create.reset();
  };
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = event.currentTarget;
    const checked = checkAccount(draft);
    setErrors(checked.ok ? {} : checked.errors);
    if (!checked.ok) focusFirstError(form);
    if (!checked.ok || create.isPending) return;
    create.mutate(checked.input, {
      onSuccess: onCreated,
      onError: (error) => {
        setErrors(refusedFields(error, { 'name-taken': 'username' }));
        focusFirstError(form);
      },
    });
  };
  return (
    <Dialog open onClose={onClose} title="Add an account" description="For one person or one program.">
      <form className={styles.form} onSubmit={submit} noValidate autoComplete="off">
        <TextField
          label="User name"
          value={draft.username}
          error={errors.username}
          hint="Small letters, digits, dots, - and _."
          maxLength={64}
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => change({ username: event.target.value })}
        />
        <RoleField role={draft.role} onChange={(role) => change({ role })} />
        <PasswordChoice typed={draft.typed} password={draft.password} error={errors.password} onChange={change} />
        {create.isError && Object.keys(errors).length === 0 && <ErrorNotice error={create.error} />}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" busy={create.isPending}>
            {create.isPending ? 'Adding…' : 'Add the account'}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

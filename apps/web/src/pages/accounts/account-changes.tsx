import { useState, type FormEvent, type ReactElement } from 'react';
import type { AccountSaved, AccountView } from '@weir/protocol';
import { useChangeRole, useDeleteAccount, useResetPassword } from '../../data/accounts.ts';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog, Dialog, DialogActions } from '../../components/dialog.tsx';
import { focusFirstError } from '../../components/focus-first-error.ts';
import { ErrorNotice } from '../../components/notice.tsx';
import { toastDone } from '../../components/toasts.tsx';
import { refusedFields, type FieldErrors } from '../../words/field-errors.ts';
import { ROLE_WORDS } from '../../words/role-words.ts';
import { PasswordChoice, RoleField } from './account-form.tsx';
import styles from './accounts.module.css';

interface ChangeProps {
  account: AccountView;
  onClose: () => void;
}

/** Gives an account another role. */
export function RoleDialog({ account, onClose }: ChangeProps): ReactElement {
  const [role, setRole] = useState(account.role);
  const change = useChangeRole();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (change.isPending) return;
    change.mutate(
      { username: account.username, role },
      {
        onSuccess: () => {
          toastDone(`${account.username} is ${ROLE_WORDS[role].label.toLowerCase()} now`);
          onClose();
        },
      },
    );
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Role of ${account.username}`}
      description="A new role ends the sessions of the account: it has to log in again."
    >
      <form className={styles.form} onSubmit={submit}>
        <RoleField role={role} onChange={setRole} />
        {change.isError && <ErrorNotice error={change.error} />}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" busy={change.isPending} disabled={role === account.role}>
            Change the role
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

/** Sets the password of somebody else. */
export function ResetDialog({
  account,
  onClose,
  onReset,
}: ChangeProps & { onReset: (saved: AccountSaved) => void }): ReactElement {
  const [choice, setChoice] = useState({ typed: false, password: '' });
  const [errors, setErrors] = useState<FieldErrors>({});
  const reset = useResetPassword();
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = event.currentTarget;
    const short = choice.typed && choice.password.length < 8;
    setErrors(short ? { password: 'Choose one of 8 to 256 characters.' } : {});
    if (short) focusFirstError(form);
    if (short || reset.isPending) return;
    const { username } = account;
    reset.mutate(
      { username, password: choice.typed ? choice.password : undefined },
      { onSuccess: onReset, onError: (error) => setErrors(refusedFields(error)) },
    );
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={`New password for ${account.username}`}
      description="The old one stops working at once, and all sessions of the account end."
    >
      <form className={styles.form} onSubmit={submit} noValidate autoComplete="off">
        <PasswordChoice
          {...choice}
          error={errors.password}
          onChange={(next) => {
            setChoice(next);
            setErrors({});
          }}
        />
        {reset.isError && Object.keys(errors).length === 0 && <ErrorNotice error={reset.error} />}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" busy={reset.isPending}>
            Set the password
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

/** Asks before an account is deleted. */
export function DeleteDialog({ account, onClose }: ChangeProps): ReactElement {
  const remove = useDeleteAccount();
  return (
    <ConfirmDialog
      open
      title={`Delete ${account.username}?`}
      confirmLabel="Delete the account"
      danger
      busy={remove.isPending}
      error={remove.error}
      onCancel={onClose}
      onConfirm={() =>
        remove.mutate(account.username, {
          onSuccess: () => {
            toastDone(`${account.username} is deleted`);
            onClose();
          },
        })
      }
    >
      It is logged out at once and cannot log in any more. What it did stays in the audit log.
    </ConfirmDialog>
  );
}

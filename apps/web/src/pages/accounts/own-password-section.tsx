import { useState, type FormEvent, type ReactElement } from 'react';
import { useChangeOwnPassword } from '../../data/accounts.ts';
import { useSession } from '../../data/session.ts';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { TextField } from '../../components/field.tsx';
import { focusFirstError } from '../../components/focus-first-error.ts';
import { ErrorNotice } from '../../components/notice.tsx';
import { toastDone } from '../../components/toasts.tsx';
import { cx } from '../../components/class-names.ts';
import { refusedFields, type FieldErrors } from '../../words/field-errors.ts';
import { EMPTY_PASSWORDS, passwordErrors, type PasswordDraft } from './account-draft.ts';
import styles from './accounts.module.css';

const FIELDS: readonly { key: keyof PasswordDraft; label: string; autoComplete: string }[] = [
  { key: 'currentPassword', label: 'Present password', autoComplete: 'current-password' },
  { key: 'newPassword', label: 'New password', autoComplete: 'new-password' },
  { key: 'again', label: 'New password again', autoComplete: 'new-password' },
];

/** Everybody changes the own password. */
export function OwnPasswordSection(): ReactElement {
  const username = useSession().data?.username ?? '';
  const [draft, setDraft] = useState(EMPTY_PASSWORDS);
  const [errors, setErrors] = useState<FieldErrors>({});
  const save = useChangeOwnPassword();
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = event.currentTarget;
    const found = passwordErrors(draft);
    setErrors(found);
    if (Object.keys(found).length > 0) focusFirstError(form);
    if (Object.keys(found).length > 0 || save.isPending) return;
    const { currentPassword, newPassword } = draft;
    save.mutate(
      { currentPassword, newPassword },
      {
        onSuccess: () => {
          setDraft(EMPTY_PASSWORDS);
          toastDone('Your password is changed', 'Everywhere else you have to log in again.');
        },
        onError: (error) => {
          const refused = refusedFields(error);
          setErrors(
            refused.currentPassword === undefined ? refused : { currentPassword: 'This is not your password.' },
          );
          focusFirstError(form);
        },
      },
    );
  };
  return (
    <Card
      title={`Password of ${username}`}
      description="Changing it ends all your other sessions. Wrong attempts are slowed down like those of logging in."
    >
      <form className={cx(styles.form, styles.narrow)} onSubmit={submit} noValidate>
        {/* Password managers want to know whose password it is. */}
        <input type="hidden" name="username" autoComplete="username" value={username} />
        {FIELDS.map(({ key, label, autoComplete }) => (
          <TextField
            key={key}
            label={label}
            type="password"
            name={key}
            autoComplete={autoComplete}
            maxLength={256}
            value={draft[key]}
            error={errors[key]}
            onChange={(event) => {
              setDraft({ ...draft, [key]: event.target.value });
              setErrors({});
              if (save.isError) save.reset();
            }}
          />
        ))}
        {save.isError && Object.keys(errors).length === 0 && <ErrorNotice error={save.error} />}
        <div className={cx(styles.actions, styles.start)}>
          <Button variant="primary" type="submit" busy={save.isPending}>
            {save.isPending ? 'Changing…' : 'Change the password'}
          </Button>
        </div>
      </form>
    </Card>
  );
}

import { useState, type FormEvent, type ReactElement } from 'react';
import { webhookInput, type WebhookCreated, type WebhookInput } from '@weir/protocol';
import { useCreateWebhook } from '../../data/webhooks.ts';
import { Button } from '../../components/button.tsx';
import { CheckField } from '../../components/check-field.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { focusFirstError } from '../../components/focus-first-error.ts';
import { ErrorNotice } from '../../components/notice.tsx';
import { refusedFields, schemaErrors, type FieldErrors } from '../../words/field-errors.ts';
import styles from './webhooks.module.css';

const EMPTY: WebhookInput = { name: '', secretUrl: '', format: 'json', reminders: false };

/** Adds a webhook. */
export function WebhookDialog({
  onClose,
  onCreated,
}: {
  onClose: () => void;
  onCreated: (created: WebhookCreated) => void;
}): ReactElement {
  const [draft, setDraft] = useState(EMPTY);
  const [errors, setErrors] = useState<FieldErrors>({});
  const create = useCreateWebhook();
  const change = (part: Partial<WebhookInput>): void => {
    setDraft({ ...draft, ...part });
    setErrors({});
    create.reset();
  };
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = event.currentTarget;
    const parsed = webhookInput.safeParse({ ...draft, name: draft.name.trim(), secretUrl: draft.secretUrl.trim() });
    setErrors(parsed.success ? {} : schemaErrors(parsed.error.issues));
    if (!parsed.success) focusFirstError(form);
    if (!parsed.success || create.isPending) return;
    create.mutate(parsed.data, {
      onSuccess: onCreated,
      onError: (error) => {
        setErrors(refusedFields(error, { 'name-taken': 'name', 'endpoint-forbidden-address': 'secretUrl' }));
        focusFirstError(form);
      },
    });
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Add a webhook"
      description="It is told when an alarm begins and when it ends. What cannot be delivered is tried again for a day."
    >
      <form className={styles.form} onSubmit={submit} noValidate autoComplete="off">
        <Fields draft={draft} errors={errors} onChange={change} />
        {create.isError && Object.keys(errors).length === 0 && <ErrorNotice error={create.error} />}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" busy={create.isPending}>
            {create.isPending ? 'Adding…' : 'Add the webhook'}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function Fields({
  draft,
  errors,
  onChange,
}: {
  draft: WebhookInput;
  errors: FieldErrors;
  onChange: (part: Partial<WebhookInput>) => void;
}): ReactElement {
  return (
    <>
      <TextField
        label="Name"
        value={draft.name}
        error={errors.name}
        maxLength={64}
        placeholder="Storage team"
        onChange={(event) => onChange({ name: event.target.value })}
      />
      <TextField
        label="Address"
        type="url"
        value={draft.secretUrl}
        error={errors.secretUrl}
        maxLength={2_048}
        placeholder="https://hooks.example.net/services/…"
        hint="Kept encrypted: such addresses often hold a token. Later only its host is shown."
        spellCheck={false}
        onChange={(event) => onChange({ secretUrl: event.target.value })}
      />
      <SelectField
        label="Format"
        value={draft.format}
        hint={
          draft.format === 'slack'
            ? 'A text and nothing else: Slack, Mattermost, Google Chat and the like.'
            : 'Everything about the alarm, and a sentence in "text".'
        }
        onChange={(event) => onChange({ format: event.target.value === 'slack' ? 'slack' : 'json' })}
      >
        <option value="json">JSON</option>
        <option value="slack">Slack-compatible text</option>
      </SelectField>
      <CheckField
        label="Reminders"
        hint="Also when an alarm fires again while it is active, every 5 minutes at most."
        checked={draft.reminders}
        onChange={(reminders) => onChange({ reminders })}
      />
    </>
  );
}

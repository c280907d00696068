import { useState, type FormEvent, type ReactElement } from 'react';
import { quotaStoreInput, type ErrorCode, type QuotaStoreInput, type QuotaStoreView } from '@weir/protocol';
import { useCreateQuotaStore, useTestQuotaStore } from '../../data/quotas.ts';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { focusFirstError } from '../../components/focus-first-error.ts';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { formatPlural } from '../../format/numbers.ts';
import { formatDuration } from '../../format/time.ts';
import { refusedFields, schemaErrors, type FieldErrors } from '../../words/field-errors.ts';
import styles from './quotas.module.css';

const EMPTY: QuotaStoreInput = { name: '', address: '', username: '', password: '' };

const FIELD_OF_CODE: Partial<Record<ErrorCode, string>> = {
  'name-taken': 'name',
  'store-unreachable': 'address',
  'endpoint-forbidden-address': 'address',
};

/** Connects a store; it is tested before it is saved. */
export function StoreDialog({
  onClose,
  onCreated,
}: {
  onClose: () => void;
  onCreated: (store: QuotaStoreView) => void;
}): ReactElement {
  const [draft, setDraft] = useState(EMPTY);
  const [errors, setErrors] = useState<FieldErrors>({});
  const test = useTestQuotaStore();
  const create = useCreateQuotaStore();
  const change = (part: Partial<QuotaStoreInput>): void => {
    setDraft({ ...draft, ...part });
    setErrors({});
    test.reset();
    create.reset();
  };
  const checked = (form: HTMLFormElement | null): QuotaStoreInput | null => {
    const parsed = quotaStoreInput.safeParse({ ...draft, name: draft.name.trim(), address: draft.address.trim() });
    setErrors(parsed.success ? {} : schemaErrors(parsed.error.issues));
    if (!parsed.success) focusFirstError(form);
    return parsed.success ? parsed.data : null;
  };
  const refused = (form: HTMLFormElement | null) => (error: Error) => {
    setErrors(refusedFields(error, FIELD_OF_CODE));
    focusFirstError(form);
  };
  const runTest = (form: HTMLFormElement | null): void => {
    const input = checked(form);
    if (input !== null) test.mutate(input, { onError: refused(form) });
  };
  const save = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = event.currentTarget;
    const input = create.isPending ? null : checked(form);
    if (input !== null) create.mutate(input, { onSuccess: onCreated, onError: refused(form) });
  };
  const failure = create.error ?? test.error;
  return (
    <Dialog
      open
      onClose={onClose}
      title="Connect a store"
      description="Where counters live: Redis, Valkey or memcached. It is tested before it is saved; nothing in it is changed."
    >
      <form className={styles.form} onSubmit={save} noValidate autoComplete="off">
        <Fields draft={draft} errors={errors} onChange={change} />
        {failure !== null && Object.keys(errors).length === 0 && <ErrorNotice error={failure} />}
        {test.data !== undefined && (
          <Notice tone="green" live title={`It answered in ${formatDuration(test.data.latencyMs)}.`}>
            It counts by {test.data.mechanism} ({test.data.capability})
            {test.data.entries === null ? '.' : ` and holds ${formatPlural(test.data.entries, 'entry', 'entries')}.`}
          </Notice>
        )}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button busy={test.isPending} onClick={(event) => runTest(event.currentTarget.closest('form'))}>
            {test.isPending ? 'Testing…' : 'Test connection'}
          </Button>
          <Button variant="primary" type="submit" busy={create.isPending}>
            {create.isPending ? 'Testing and saving…' : 'Save store'}
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
  draft: QuotaStoreInput;
  errors: FieldErrors;
  onChange: (part: Partial<QuotaStoreInput>) => void;
}): ReactElement {
  return (
    <>
      <TextField
        label="Name"
        value={draft.name}
        error={errors.name}
        maxLength={64}
        placeholder="Counters of the API"
        onChange={(event) => onChange({ name: event.target.value })}
      />
      <TextField
        label="Address"
        value={draft.address}
        error={errors.address}
        maxLength={512}
        placeholder="redis://cache.example.net:6379/0"
        hint="redis://, rediss:// (TLS), valkey:// or memcached://host:11211,host:11211. Without user name and password."
        autoCapitalize="none"
        spellCheck={false}
        onChange={(event) => onChange({ address: event.target.value })}
      />
      <div className={styles.pair}>
        <TextField
          label="User name (optional)"
          value={draft.username}
          error={errors.username}
          maxLength={256}
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onChange({ username: event.target.value })}
        />
        <TextField
          label="Password (optional)"
          type="password"
          autoComplete="new-password"
          value={draft.password}
          error={errors.password}
          maxLength={1_024}
          onChange={(event) => onChange({ password: event.target.value })}
        />
      </div>
    </>
  );
}

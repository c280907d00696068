import { useState, type FormEvent, type ReactElement } from 'react';
import type { EndpointInput, EndpointView, ErrorCode } from '@weir/protocol';
import { useCreateEndpoint, useTestEndpoint } from '../../data/endpoints.ts';
import { Button } from '../../components/button.tsx';
import { CheckField } from '../../components/check-field.tsx';
import { DialogActions } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { focusFirstError } from '../../components/focus-first-error.ts';
import { formatPlural } from '../../format/numbers.ts';
import { formatDuration } from '../../format/time.ts';
import { refusedFields, type FieldErrors } from '../../words/field-errors.ts';
import { checkEndpoint, EMPTY_ENDPOINT } from './endpoint-draft.ts';
import styles from './endpoint-form.module.css';

/** Where the words of a code belong in this form. */
const FIELD_OF_CODE: Partial<Record<ErrorCode, string>> = {
  'name-taken': 'name',
  'endpoint-unreachable': 'url',
  'endpoint-forbidden-address': 'url',
  'endpoint-refused-credentials': 'secretAccessKey',
};

/** Asks for an S3 server, tests it on request, and saves it; the console tests again before it keeps it. */
export function EndpointForm({
  onCreated,
  onCancel,
}: {
  /** `buckets`: what the last test listed; null: unknown. */
  onCreated: (endpoint: EndpointView, buckets: readonly string[] | null) => void;
  onCancel: () => void;
}): ReactElement {
  const [draft, setDraft] = useState(EMPTY_ENDPOINT);
  const [errors, setErrors] = useState<FieldErrors>({});
  const test = useTestEndpoint();
  const create = useCreateEndpoint();
  const busy = test.isPending || create.isPending;

  const change = (part: Partial<EndpointInput>): void => {
    setDraft({ ...draft, ...part });
    const changed = Object.keys(part);
    setErrors(Object.fromEntries(Object.entries(errors).filter(([field]) => !changed.includes(field))));
    test.reset();
    create.reset();
  };
  const checked = (form: HTMLFormElement | null): EndpointInput | null => {
    const result = checkEndpoint(draft);
    setErrors(result.ok ? {} : result.errors);
    if (!result.ok) focusFirstError(form);
    return result.ok ? result.input : null;
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
    event.stopPropagation();
    const form = event.currentTarget;
    const input = busy ? null : checked(form);
    if (input === null) return;
    const buckets = test.data?.buckets ?? null;
    create.mutate(input, { onSuccess: (endpoint) => onCreated(endpoint, buckets), onError: refused(form) });
  };
  const failure = create.error ?? test.error;

  return (
    <form className={styles.form} onSubmit={save} noValidate autoComplete="off">
      <Fields draft={draft} errors={errors} onChange={change} />
      {failure !== null && Object.keys(errors).length === 0 && <ErrorNotice error={failure} />}
      {test.data !== undefined && <TestResult latencyMs={test.data.latencyMs} buckets={test.data.buckets} />}
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button busy={test.isPending} onClick={(event) => runTest(event.currentTarget.closest('form'))}>
          {test.isPending ? 'Testing…' : 'Test connection'}
        </Button>
        <Button variant="primary" type="submit" busy={create.isPending}>
          {create.isPending ? 'Testing and saving…' : 'Save endpoint'}
        </Button>
      </DialogActions>
    </form>
  );
}

function Fields({
  draft,
  errors,
  onChange,
}: {
  draft: EndpointInput;
  errors: FieldErrors;
  onChange: (part: Partial<EndpointInput>) => void;
}): ReactElement {
  return (
    <>
      <TextField
        label="Name"
        value={draft.name}
        error={errors.name}
        maxLength={64}
        placeholder="ObjectScale Frankfurt"
        onChange={(event) => onChange({ name: event.target.value })}
      />
      <TextField
        label="Address"
        type="url"
        value={draft.url}
        error={errors.url}
        placeholder="https://s3.example.net:9021"
        hint="As agents reach it, with http:// or https:// and without a bucket."
        spellCheck={false}
        onChange={(event) => onChange({ url: event.target.value })}
      />
      <div className={styles.pair}>
        <TextField
          label="Access key"
          value={draft.accessKeyId}
          error={errors.accessKeyId}
          autoCapitalize="none"
          spellCheck={false}
          maxLength={256}
          onChange={(event) => onChange({ accessKeyId: event.target.value })}
        />
        <TextField
          label="Secret key"
          type="password"
          autoComplete="new-password"
          value={draft.secretAccessKey}
          error={errors.secretAccessKey}
          maxLength={1_024}
          onChange={(event) => onChange({ secretAccessKey: event.target.value })}
        />
      </div>
      <TextField
        label="Region"
        value={draft.region}
        error={errors.region}
        maxLength={64}
        spellCheck={false}
        onChange={(event) => onChange({ region: event.target.value })}
      />
      <CheckField
        label="Path-style URLs"
        hint="http://server/bucket, which most S3-compatible servers need. Off: http://bucket.server."
        checked={draft.pathStyle}
        onChange={(pathStyle) => onChange({ pathStyle })}
      />
    </>
  );
}

function TestResult({ latencyMs, buckets }: { latencyMs: number; buckets: readonly string[] | null }): ReactElement {
  const shown = buckets?.slice(0, 8) ?? [];
  return (
    <Notice tone="green" live title={`The endpoint answered in ${formatDuration(latencyMs)}.`}>
      {buckets === null
        ? 'These credentials may not list buckets; jobs can still use buckets by name.'
        : `It has ${formatPlural(buckets.length, 'bucket')}${shown.length > 0 ? `: ${shown.join(', ')}` : ''}${buckets.length > shown.length ? ', …' : '.'}`}
    </Notice>
  );
}

import { useState, type FormEvent, type ReactElement } from 'react';
import { useLocation, useSearch } from 'wouter';
import type { CopyMode, EndpointView, JobView } from '@weir/protocol';
import { useEndpoints } from '../../data/endpoints.ts';
import { useCreateJob, useJob } from '../../data/jobs.ts';
import { useMay } from '../../data/session.ts';
import { BackLink } from '../../components/back-link.tsx';
import { Button, ButtonLink } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { TextField } from '../../components/field.tsx';
import { focusFirstError } from '../../components/focus-first-error.ts';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { Remark } from '../../components/remark.tsx';
import { toastDone } from '../../components/toasts.tsx';
import { refusedFields, type FieldErrors } from '../../words/field-errors.ts';
import { COPY_MODES } from '../../words/job-words.ts';
import { checkJob, duplicateOf, EMPTY_JOB, suggestedName, type JobDraft } from './job-draft.ts';
import { keyExample } from './key-example.ts';
import { LocationFields } from './location-fields.tsx';
import { OptionFields } from './option-fields.tsx';
import styles from './new-job-page.module.css';

/** From where, to where, what: a job on one page. */
export function NewJobPage(): ReactElement {
  const endpoints = useEndpoints();
  const from = new URLSearchParams(useSearch()).get('from');
  const may = useMay('operator');
  return (
    <>
      <PageHeader title="New copy job" back={<BackLink href="/jobs">Copy Jobs</BackLink>} />
      {may ? (
        <QueryState query={endpoints} placeholderHeight={520}>
          {(list) => (from === null ? <JobForm endpoints={list} /> : <Duplicate endpoints={list} jobId={from} />)}
        </QueryState>
      ) : (
        <Notice tone="amber" title="Your role may look at jobs but not create them.">
          Ask an administrator for the role operator.
        </Notice>
      )}
    </>
  );
}

/** The form filled in like another job, once that is known. */
function Duplicate({ endpoints, jobId }: { endpoints: readonly EndpointView[]; jobId: string }): ReactElement {
  const job = useJob(jobId);
  return (
    <QueryState query={job} placeholderHeight={520}>
      {(like) => <JobForm endpoints={endpoints} like={like} />}
    </QueryState>
  );
}

function JobForm({ endpoints, like }: { endpoints: readonly EndpointView[]; like?: JobView }): ReactElement {
  const { draft, errors, create, change, submit } = useJobForm(like);
  const [buckets, setBuckets] = useState<Readonly<Record<string, readonly string[]>>>({});
  const sides = (['source', 'target'] as const).map((side) => (
    <LocationFields
      key={side}
      side={side}
      location={draft[side]}
      endpoints={endpoints}
      buckets={buckets[draft[side].endpointId] ?? []}
      errors={errors}
      example={side === 'target' ? keyExample(draft.source.prefix, draft.target.prefix) : undefined}
      onChange={(part) =>
        change(
          { [side]: { ...draft[side], ...part } },
          Object.keys(part).map((field) => `${side}.${field}`),
        )
      }
      onEndpoint={(endpoint, listed) => {
        if (listed !== null) setBuckets({ ...buckets, [endpoint.endpointId]: listed });
        change({ [side]: { ...draft[side], endpointId: endpoint.endpointId } }, [`${side}.endpointId`]);
      }}
    />
  ));

  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <div className={styles.sides}>{sides}</div>
      <Card title="What to copy">
        <div className={styles.fields}>
          <ModeField value={draft.mode} onChange={(mode) => change({ mode }, ['mode'])} />
          <TextField
            label="Name of the job"
            value={draft.name}
            error={errors.name}
            maxLength={64}
            placeholder={suggestedName(draft) || 'Archive to Amsterdam'}
            hint={draft.name === '' ? 'Empty: named after its buckets.' : undefined}
            onChange={(event) => change({ name: event.target.value }, ['name'])}
          />
        </div>
      </Card>
      <OptionFields
        draft={draft.options}
        mode={draft.mode}
        errors={errors}
        onChange={(part, fields) => change({ options: { ...draft.options, ...part } }, fields)}
      />
      {create.isError && Object.keys(errors).length === 0 && <ErrorNotice error={create.error} />}
      <div className={styles.actions}>
        <Button variant="primary" type="submit" busy={create.isPending}>
          {create.isPending ? 'Checking both buckets…' : draft.options.dryRun ? 'Create dry run' : 'Create job'}
        </Button>
        <ButtonLink href="/jobs">Cancel</ButtonLink>
        <Remark>Both buckets are checked first; nothing is copied if one cannot be used.</Remark>
      </div>
    </form>
  );
}

interface JobFormState {
  draft: JobDraft;
  errors: FieldErrors;
  create: ReturnType<typeof useCreateJob>;
  /** Changes the draft and takes back the errors of the fields that were touched. */
  change: (part: Partial<JobDraft>, fields: readonly string[]) => void;
  submit: (event: FormEvent<HTMLFormElement>) => void;
}

function useJobForm(like: JobView | undefined): JobFormState {
  const [draft, setDraft] = useState(() => (like === undefined ? EMPTY_JOB : duplicateOf(like)));
  const [errors, setErrors] = useState<FieldErrors>({});
  const [, navigate] = useLocation();
  const create = useCreateJob();
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (create.isPending) return;
    const form = event.currentTarget;
    const checked = checkJob(draft);
    setErrors(checked.ok ? {} : checked.errors);
    if (!checked.ok) {
      focusFirstError(form);
      return;
    }
    create.mutate(checked.input, {
      onSuccess: (job) => {
        toastDone('The job is queued', 'Agents take it with their next look at the queue.');
        navigate(`/jobs/${job.jobId}`);
      },
      onError: (error) => {
        setErrors(refusedFields(error, { 'name-taken': 'name' }));
        focusFirstError(form);
      },
    });
  };
  return {
    draft,
    errors,
    create,
    change: (part, fields) => {
      setDraft({ ...draft, ...part });
      setErrors(Object.fromEntries(Object.entries(errors).filter(([field]) => !fields.includes(field))));
    },
    submit,
  };
}

function ModeField({ value, onChange }: { value: CopyMode; onChange: (mode: CopyMode) => void }): ReactElement {
  return (
    <fieldset>
      <legend className={styles.legend}>Mode</legend>
      <div className={styles.modes}>
        {COPY_MODES.map(({ mode, label, text }) => (
          <label key={mode} className={styles.mode}>
            <input type="radio" name="mode" value={mode} checked={value === mode} onChange={() => onChange(mode)} />
            <strong>{label}</strong> <span className={styles.modeText}>{text}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

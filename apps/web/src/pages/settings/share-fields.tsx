import type { ReactElement } from 'react';
import { MAX_JOB_SHARES, type JobView } from '@weir/protocol';
import { useJobs } from '../../data/jobs.ts';
import { Button } from '../../components/button.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import type { FieldErrors } from '../../words/field-errors.ts';
import type { ShareDraft } from './beyond-draft.ts';
import type { BeyondProps } from './beyond-fields.tsx';
import styles from './rate-limiting.module.css';

const LIVE = ['queued', 'running', 'paused'];

/** Jobs that get more, or are promised something. Only the max-min policy knows them. */
export function ShareFields({ beyond, errors, onChange }: BeyondProps): ReactElement | null {
  const jobs = useJobs().data ?? [];
  const { shares, policy } = beyond;
  if (policy !== 'max-min' && shares.length === 0) return null;
  const offered = jobs.filter(
    ({ jobId, state }) => LIVE.includes(state) || shares.some((each) => each.jobId === jobId),
  );
  const free = offered.find(({ jobId }) => shares.every((each) => each.jobId !== jobId));
  const change = (position: number, part: Partial<ShareDraft>): void => {
    onChange({ shares: shares.map((share, at) => (at === position ? { ...share, ...part } : share)) });
  };
  return (
    <fieldset className={styles.group}>
      <legend className={styles.legend}>Shares of jobs</legend>
      <p className={styles.remark}>
        A job of weight 2 is given twice what others are given; a minimum is given whenever it is used. Needs the
        max-min policy.
      </p>
      {errors['jobShares'] !== undefined && <p className={styles.error}>{errors['jobShares']}</p>}
      {shares.map((share, position) => (
        <Share
          key={share.jobId}
          share={share}
          position={position}
          offered={offered}
          errors={errors}
          onChange={(part) => change(position, part)}
          onRemove={() => onChange({ shares: shares.filter((_, at) => at !== position) })}
        />
      ))}
      {free !== undefined && shares.length < MAX_JOB_SHARES && (
        <div>
          <Button
            small
            icon="plus"
            onClick={() => onChange({ shares: [...shares, { jobId: free.jobId, weightText: '1', minimumText: '0' }] })}
          >
            Add a job
          </Button>
        </div>
      )}
    </fieldset>
  );
}

function Share({
  share,
  position,
  offered,
  errors,
  onChange,
  onRemove,
}: {
  share: ShareDraft;
  position: number;
  /** Jobs to choose from. */
  offered: readonly Pick<JobView, 'jobId' | 'name'>[];
  errors: FieldErrors;
  onChange: (part: Partial<ShareDraft>) => void;
  onRemove: () => void;
}): ReactElement {
  return (
    <div className={styles.hours}>
      <SelectField label="Job" value={share.jobId} onChange={(event) => onChange({ jobId: event.target.value })}>
        {offered.every(({ jobId }) => jobId !== share.jobId) && <option value={share.jobId}>{share.jobId}</option>}
        {offered.map(({ jobId, name }) => (
          <option key={jobId} value={jobId}>
            {name}
          </option>
        ))}
      </SelectField>
      <TextField
        label="Weight"
        inputMode="decimal"
        autoComplete="off"
        value={share.weightText}
        error={errors[`jobShares.${position}.weight`]}
        onChange={(event) => onChange({ weightText: event.target.value })}
      />
      <TextField
        label="Minimum"
        unit="TPS"
        inputMode="decimal"
        autoComplete="off"
        value={share.minimumText}
        error={errors[`jobShares.${position}.minimumTps`]}
        onChange={(event) => onChange({ minimumText: event.target.value })}
      />
      <Button small icon="trash" aria-label={`Remove the share of job ${position + 1}`} onClick={onRemove}>
        Remove
      </Button>
    </div>
  );
}

import { useState, type ReactElement } from 'react';
import { TRANSACTION_TYPES, type CostModelName, type TransactionType } from '@weir/protocol';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { CheckField } from '../../components/check-field.tsx';
import { TextField } from '../../components/field.tsx';
import { focusFirstError } from '../../components/focus-first-error.ts';
import { ErrorNotice } from '../../components/notice.tsx';
import type { FieldErrors } from '../../words/field-errors.ts';
import type { BeyondDraft } from './beyond-draft.ts';
import { BeyondFields } from './beyond-fields.tsx';
import { settleLimit, thresholdError, type LimitDraft } from './limit-draft.ts';
import { ScheduleFields } from './schedule-fields.tsx';
import { ShareFields } from './share-fields.tsx';
import styles from './rate-limiting.module.css';

/** What each type means, by cost model. */
const TYPE_HINTS: Readonly<Record<CostModelName, Readonly<Record<TransactionType, string>>>> = {
  'per-object': {
    LIST: '1 per listing call of up to 1,000 objects.',
    GET: 'No effect: reading is never charged under the documented cost model.',
    PUT: '1 per object; 11 per object that is copied in several parts.',
    DELETE: 'No effect: deleting is never charged under the documented cost model.',
  },
  'per-request': {
    LIST: '1 per listing request, of objects, parts, uploads or buckets.',
    GET: '1 per request that reads: HEAD, GET, each range, tags.',
    PUT: '1 per request that writes: each object, each part, the beginning and the end of an upload.',
    DELETE: '1 per request that deletes, also of an upload that is given up.',
  },
};

interface FormProps {
  draft: LimitDraft;
  errors: FieldErrors;
  editable: boolean;
  dirty: boolean;
  saving: boolean;
  /** What the console answered when it belongs to no field; null: nothing. */
  failure: unknown;
  /** What somebody else saved meanwhile, to be decided before this form is saved; null: nothing. */
  conflict: ReactElement | null;
  onChange: (draft: LimitDraft, errors: FieldErrors) => void;
  onDiscard: () => void;
  /** @returns whether the values could be sent */
  onSubmit: () => boolean;
}

/** The form of TPS Rate Limiting. */
export function RateLimitingForm(props: FormProps): ReactElement {
  const { draft, errors, editable, dirty, saving, failure, conflict, onChange, onDiscard, onSubmit } = props;
  return (
    <Card>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!onSubmit()) focusFirstError(event.currentTarget);
        }}
      >
        <fieldset className={styles.form} disabled={!editable}>
          <legend className="visually-hidden">TPS Rate Limiting</legend>
          <CheckField
            as="switch"
            label="Enable TPS rate limiting"
            hint="Off: agents run unthrottled, and TPS Monitor leaves the navigation."
            checked={draft.enabled}
            onChange={(enabled) => onChange({ ...draft, enabled }, errors)}
          />
          <LimitField draft={draft} errors={errors} onChange={onChange} />
          <TypesField draft={draft} errors={errors} onChange={onChange} />
          <ThresholdField draft={draft} errors={errors} onChange={onChange} />
          <Beyond draft={draft} errors={errors} onChange={onChange} />
          {failure !== null && <ErrorNotice error={failure} />}
          {conflict}
          {editable && (
            <div className={styles.actions}>
              <Button variant="primary" type="submit" busy={saving} disabled={!dirty || conflict !== null}>
                {saving ? 'Saving…' : 'Save changes'}
              </Button>
              <Button variant="ghost" disabled={!dirty} onClick={onDiscard}>
                Discard
              </Button>
              <output className={styles.remark}>
                {conflict === null ? (dirty ? 'Not saved yet' : '') : 'Decide above what is to be saved'}
              </output>
            </div>
          )}
        </fieldset>
      </form>
    </Card>
  );
}

/** Fields of the documented settings that can be wrong. */
const DOCUMENTED = ['globalLimitTps', 'alarmThresholdPercent'];

type FieldProps = Pick<FormProps, 'draft' | 'errors' | 'onChange'>;

function without(errors: FieldErrors, field: string): FieldErrors {
  return Object.fromEntries(Object.entries(errors).filter(([name]) => name !== field));
}

function LimitField({ draft, errors, onChange }: FieldProps): ReactElement {
  const [note, setNote] = useState<string | null>(null);
  return (
    <TextField
      label="Global Limit"
      unit="TPS"
      inputMode="numeric"
      autoComplete="off"
      className={styles.short}
      value={draft.limitText}
      error={errors.globalLimitTps}
      note={note}
      hint="The budget of the whole fleet: a whole number, at least 100. Start 30–40% below what the storage team grants."
      onChange={(event) => {
        setNote(null);
        onChange({ ...draft, limitText: event.target.value }, without(errors, 'globalLimitTps'));
      }}
      onBlur={() => {
        const settled = settleLimit(draft.limitText);
        // A note stays until the text changes, also when the field is left again.
        if (settled.note !== null) setNote(settled.note);
        const rest = without(errors, 'globalLimitTps');
        const next = settled.error === null ? rest : { ...rest, globalLimitTps: settled.error };
        onChange({ ...draft, limitText: settled.text }, next);
      }}
    />
  );
}

function TypesField({ draft, errors, onChange }: FieldProps): ReactElement {
  return (
    <fieldset>
      <legend className={styles.legend}>Transaction Types</legend>
      <p className={styles.remark}>Which S3 operations count toward the limit.</p>
      <div className={styles.types}>
        {TRANSACTION_TYPES.map((type) => (
          <CheckField
            key={type}
            label={type}
            hint={TYPE_HINTS[draft.beyond.costModel][type]}
            checked={draft.types[type]}
            onChange={(checked) => onChange({ ...draft, types: { ...draft.types, [type]: checked } }, errors)}
          />
        ))}
      </div>
    </fieldset>
  );
}

function Beyond({ draft, errors, onChange }: FieldProps): ReactElement {
  const props = {
    beyond: draft.beyond,
    errors,
    // What was wrong with a number is not known to be wrong any more.
    onChange: (part: Partial<BeyondDraft>) => {
      const documented = Object.entries(errors).filter(([field]) => DOCUMENTED.includes(field));
      onChange({ ...draft, beyond: { ...draft.beyond, ...part } }, Object.fromEntries(documented));
    },
  };
  return (
    <>
      <BeyondFields {...props} />
      <ScheduleFields {...props} />
      <ShareFields {...props} />
    </>
  );
}

function ThresholdField({ draft, errors, onChange }: FieldProps): ReactElement {
  return (
    <TextField
      label="Alarm Threshold"
      unit="%"
      inputMode="decimal"
      autoComplete="off"
      className={styles.short}
      value={draft.thresholdText}
      error={errors.alarmThresholdPercent}
      hint="CV-TPS-001 fires when the fleet uses more than this share of the limit."
      onChange={(event) =>
        onChange({ ...draft, thresholdText: event.target.value }, without(errors, 'alarmThresholdPercent'))
      }
      onBlur={() => {
        const problem = thresholdError(draft.thresholdText);
        const rest = without(errors, 'alarmThresholdPercent');
        onChange(draft, problem === null ? rest : { ...rest, alarmThresholdPercent: problem });
      }}
    />
  );
}

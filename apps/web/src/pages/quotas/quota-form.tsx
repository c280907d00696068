import { useState, type FormEvent, type ReactElement } from 'react';
import { OUTAGE_POLICIES, PERIOD_UNITS, quotaChanges, type QuotaStoreView, type QuotaView } from '@weir/protocol';
import { wasChangedMeanwhile } from '../../data/changed-meanwhile.ts';
import { useQuotaStores, useSaveQuota } from '../../data/quotas.ts';
import { Button } from '../../components/button.tsx';
import { ChangedMeanwhile } from '../../components/changed-meanwhile.tsx';
import { CheckField } from '../../components/check-field.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { focusFirstError } from '../../components/focus-first-error.ts';
import { ErrorNotice } from '../../components/notice.tsx';
import { refusedFields, type FieldErrors } from '../../words/field-errors.ts';
import { OUTAGE_WORDS } from '../../words/quota-words.ts';
import {
  checkQuota,
  emptyQuota,
  isQuotaFieldTyped,
  quotaDraftOf,
  rebaseQuota,
  type QuotaDraft,
} from './quota-draft.ts';
import styles from './quotas.module.css';

/** Defines a quota, or changes one. */
export function QuotaDialog({
  quota,
  onClose,
  onSaved,
}: {
  /** Null: a new one. Otherwise as the console has it now. */
  quota: QuotaView | null;
  onClose: () => void;
  onSaved: (saved: QuotaView) => void;
}): ReactElement {
  const stores = useQuotaStores().data ?? [];
  const { draft, errors, save, change, restart, submit, changedFrom } = useQuotaForm(quota, onSaved);
  return (
    <Dialog
      open
      onClose={onClose}
      title={quota === null ? 'Define a quota' : `Change ${quota.quota}`}
      description="Programs that count under the same name on the same store share its counters."
    >
      <form className={styles.form} onSubmit={submit} noValidate autoComplete="off">
        <NameFields draft={draft} errors={errors} stores={stores} onChange={change} />
        <LimitFields draft={draft} errors={errors} onChange={change} />
        <RuleFields draft={draft} onChange={change} />
        {save.isError && changedFrom === null && Object.keys(errors).length === 0 && <ErrorNotice error={save.error} />}
        {changedFrom !== null && quota !== null && (
          <ChangedQuota
            draft={draft}
            base={changedFrom}
            quota={quota}
            refused={wasChangedMeanwhile(save.error)}
            onDecide={(next) => restart(quota, next)}
          />
        )}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" busy={save.isPending} disabled={changedFrom !== null}>
            {quota === null ? 'Define the quota' : 'Save the quota'}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

interface QuotaForm {
  draft: QuotaDraft;
  errors: FieldErrors;
  save: ReturnType<typeof useSaveQuota>;
  change: (part: Partial<QuotaDraft>) => void;
  /** Goes on from what is there now. */
  restart: (from: QuotaView, next: QuotaDraft) => void;
  submit: (event: FormEvent<HTMLFormElement>) => void;
  /** What the form was begun from, when somebody else has changed the quota since; null: nobody has. */
  changedFrom: QuotaView | null;
}

function useQuotaForm(quota: QuotaView | null, onSaved: (saved: QuotaView) => void): QuotaForm {
  const [base, setBase] = useState(quota);
  const [draft, setDraft] = useState(() => (quota === null ? emptyQuota('memory') : quotaDraftOf(quota)));
  const [errors, setErrors] = useState<FieldErrors>({});
  const save = useSaveQuota();
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = event.currentTarget;
    const checked = checkQuota(draft);
    setErrors(checked.ok ? {} : checked.errors);
    if (!checked.ok) focusFirstError(form);
    if (!checked.ok || save.isPending) return;
    const sent = { input: checked.input, madeFrom: base };
    save.mutate(sent, {
      onSuccess: onSaved,
      onError: (error) => {
        setErrors(refusedFields(error, { 'name-taken': 'quota' }));
        focusFirstError(form);
      },
    });
  };
  const other = base !== null && quota !== null && quota.etag !== base.etag;
  const changes = other ? quotaChanges(base, quota) : [];
  // Changed there and back again: nothing that was typed is touched by it.
  if (other && changes.length === 0) setBase(quota);
  // While a save is being made, what is new is its own.
  const changed = changes.length > 0 && !save.isPending;
  return {
    draft,
    errors,
    save,
    change: (part) => {
      setDraft({ ...draft, ...part });
      setErrors({});
      if (!changed) save.reset();
    },
    restart: (from, next) => {
      setBase(from);
      setDraft(next);
      setErrors({});
      save.reset();
    },
    submit,
    changedFrom: changed ? base : null,
  };
}

function ChangedQuota({
  draft,
  base,
  quota,
  refused,
  onDecide,
}: {
  draft: QuotaDraft;
  base: QuotaView;
  quota: QuotaView;
  refused: boolean;
  onDecide: (next: QuotaDraft) => void;
}): ReactElement {
  const started = quotaDraftOf(base);
  const there = quotaDraftOf(quota);
  return (
    <ChangedMeanwhile
      what="this quota"
      changedBy={quota.changedBy}
      changedAtMs={quota.changedAtMs ?? 0}
      changes={quotaChanges(base, quota)}
      typed={(field) => isQuotaFieldTyped(draft, started, field)}
      refused={refused}
      onKeep={() => onDecide(rebaseQuota(draft, started, there))}
      onLoad={() => onDecide(there)}
    />
  );
}

interface FieldsProps {
  draft: QuotaDraft;
  errors: FieldErrors;
  onChange: (part: Partial<QuotaDraft>) => void;
}

function NameFields({
  draft,
  errors,
  stores,
  onChange,
}: FieldsProps & { stores: readonly QuotaStoreView[] }): ReactElement {
  return (
    <div className={styles.pair}>
      <TextField
        label="Name"
        value={draft.quota}
        error={errors.quota}
        placeholder="api"
        maxLength={64}
        autoCapitalize="none"
        spellCheck={false}
        onChange={(event) => onChange({ quota: event.target.value })}
      />
      <SelectField
        label="Store"
        value={draft.storeId}
        error={errors.storeId}
        onChange={(event) => onChange({ storeId: event.target.value })}
      >
        {stores.map(({ storeId, name }) => (
          <option key={storeId} value={storeId}>
            {name}
          </option>
        ))}
      </SelectField>
    </div>
  );
}

function LimitFields({ draft, errors, onChange }: FieldsProps): ReactElement {
  return (
    <>
      <div className={styles.pair}>
        <TextField
          label="Limit for each subject"
          inputMode="numeric"
          value={draft.limitText}
          error={errors.limit}
          onChange={(event) => onChange({ limitText: event.target.value })}
        />
        <TextField
          label="Per"
          inputMode="numeric"
          value={draft.countText}
          error={errors['period.count']}
          onChange={(event) => onChange({ countText: event.target.value })}
        />
        <SelectField
          label="Period"
          value={draft.unit}
          onChange={(event) => onChange({ unit: PERIOD_UNITS.find((unit) => unit === event.target.value) ?? 'day' })}
        >
          {PERIOD_UNITS.map((unit) => (
            <option key={unit} value={unit}>
              {unit}s
            </option>
          ))}
        </SelectField>
      </div>
      <TextField
        label="Time zone"
        value={draft.zone}
        error={errors.zone}
        hint="Whose calendar days, weeks and months begin by: UTC, or such as Europe/Berlin."
        maxLength={64}
        autoCapitalize="none"
        spellCheck={false}
        onChange={(event) => onChange({ zone: event.target.value })}
      />
    </>
  );
}

function RuleFields({ draft, onChange }: Omit<FieldsProps, 'errors'>): ReactElement {
  return (
    <>
      <SelectField
        label="While the store does not answer"
        value={draft.outage}
        hint={OUTAGE_WORDS[draft.outage].text}
        onChange={(event) =>
          onChange({ outage: OUTAGE_POLICIES.find((policy) => policy === event.target.value) ?? 'closed' })
        }
      >
        {OUTAGE_POLICIES.map((policy) => (
          <option key={policy} value={policy}>
            {OUTAGE_WORDS[policy].label}
          </option>
        ))}
      </SelectField>
      <CheckField
        label="Subjects are network addresses"
        hint="IPv6 addresses count by /64, IPv4 in IPv6 disguise as IPv4."
        checked={draft.subjects === 'address'}
        onChange={(address) => onChange({ subjects: address ? 'address' : 'text' })}
      />
      <CheckField
        label="Shadow"
        hint="Count and report, never refuse: to try a limit out."
        checked={draft.shadow}
        onChange={(shadow) => onChange({ shadow })}
      />
    </>
  );
}

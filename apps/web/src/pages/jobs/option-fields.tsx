import type { ReactElement } from 'react';
import type { CopyMode } from '@weir/protocol';
import { Card } from '../../components/card.tsx';
import { CheckField } from '../../components/check-field.tsx';
import { Field, SelectField, TextField } from '../../components/field.tsx';
import type { FieldErrors } from '../../words/field-errors.ts';
import type { OptionDraft } from './option-draft.ts';
import styles from './option-fields.module.css';

interface OptionFieldsProps {
  draft: OptionDraft;
  mode: CopyMode;
  errors: FieldErrors;
  /** `fields`: paths of the fields whose errors are taken back. */
  onChange: (part: Partial<OptionDraft>, fields: readonly string[]) => void;
}

/** Which objects, and how: all optional, with defaults that copy everything. */
export function OptionFields({ draft, mode, errors, onChange }: OptionFieldsProps): ReactElement {
  return (
    <Card title="Options" description="All of them are optional.">
      <div className={styles.fields}>
        <CheckField
          label="Dry run"
          hint="Nothing is written. The job counts what would be copied, and can be run for real afterwards."
          checked={draft.dryRun}
          onChange={(dryRun) => onChange({ dryRun }, ['options.dryRun'])}
        />
        {mode !== 'copy-all' && (
          <SelectField
            label="Check of the target"
            value={draft.checkBy}
            hint="By listing: one request for 1,000 objects. Each object: one request each, always up to date."
            onChange={(event) => onChange({ checkBy: event.target.value === 'listing' ? 'listing' : 'head' }, [])}
          >
            <option value="head">Ask for each object</option>
            <option value="listing">By listing the target</option>
          </SelectField>
        )}
        <FilterFields draft={draft} errors={errors} onChange={onChange} />
        <CheckField
          label="Let the server copy by itself"
          hint="Where source and target are one endpoint: the objects do not travel over the agents."
          checked={draft.serverSideCopy}
          onChange={(serverSideCopy) => onChange({ serverSideCopy }, [])}
        />
        <CheckField
          label="Signed manifest"
          hint="Keeps a digest over every object; the console signs it when the job has ended."
          checked={draft.manifest}
          onChange={(manifest) => onChange({ manifest }, [])}
        />
      </div>
    </Card>
  );
}

function FilterFields({ draft, errors, onChange }: Omit<OptionFieldsProps, 'mode'>): ReactElement {
  const patterns = (name: 'include' | 'exclude', label: string, hint: string): ReactElement => (
    <Field label={label} hint={hint} error={errors[`options.filter.${name}.0`] ?? errors[`options.filter.${name}`]}>
      {(control) => (
        <textarea
          {...control}
          className={styles.patterns}
          rows={2}
          value={draft[name]}
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
          onChange={(event) =>
            onChange({ [name]: event.target.value }, [`options.filter.${name}`, `options.filter.${name}.0`])
          }
        />
      )}
    </Field>
  );
  const text = (
    name: 'minSize' | 'maxSize' | 'modifiedAfter' | 'modifiedBefore',
    field: string,
    label: string,
  ): ReactElement => (
    <TextField
      label={label}
      type={name.startsWith('modified') ? 'datetime-local' : 'text'}
      value={draft[name]}
      error={errors[`options.filter.${field}`]}
      placeholder={name.startsWith('modified') ? undefined : '10 MiB'}
      onChange={(event) => onChange({ [name]: event.target.value }, [`options.filter.${field}`])}
    />
  );
  return (
    <div className={styles.filter}>
      {patterns(
        'include',
        'Only these keys',
        'One pattern a line, behind the source prefix: * within a folder, ** anything, ? one character.',
      )}
      {patterns('exclude', 'Without these keys', 'One pattern a line; wins over the ones above.')}
      {text('minSize', 'minBytes', 'Smallest size')}
      {text('maxSize', 'maxBytes', 'Largest size')}
      {text('modifiedAfter', 'modifiedAfterMs', 'Changed after')}
      {text('modifiedBefore', 'modifiedBeforeMs', 'Changed before')}
    </div>
  );
}

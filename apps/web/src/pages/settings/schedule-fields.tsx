import type { ReactElement } from 'react';
import { MAX_SCHEDULE_RULES, WEEKDAYS, type Weekday } from '@weir/protocol';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import type { FieldErrors } from '../../words/field-errors.ts';
import { NEW_RULE, type RuleDraft } from './beyond-draft.ts';
import type { BeyondProps } from './beyond-fields.tsx';
import styles from './rate-limiting.module.css';

/** Days as people count them, from Monday on. */
const DAYS: readonly { day: Weekday; label: string }[] = [
  { day: 'mon', label: 'Mon' },
  { day: 'tue', label: 'Tue' },
  { day: 'wed', label: 'Wed' },
  { day: 'thu', label: 'Thu' },
  { day: 'fri', label: 'Fri' },
  { day: 'sat', label: 'Sat' },
  { day: 'sun', label: 'Sun' },
];

/** Other limits at certain hours. */
export function ScheduleFields({ beyond, errors, onChange }: BeyondProps): ReactElement {
  const { rules, zone } = beyond;
  const change = (position: number, part: Partial<RuleDraft>): void => {
    onChange({ rules: rules.map((rule, at) => (at === position ? { ...rule, ...part } : rule)) });
  };
  return (
    <fieldset className={styles.group}>
      <legend className={styles.legend}>Limit by the hour</legend>
      <p className={styles.remark}>
        Where no rule applies, the Global Limit does. The first rule that applies counts. “To” before “From” reaches
        into the next day.
      </p>
      {rules.length > 0 && (
        <TextField
          label="Time zone"
          className={styles.short}
          value={zone}
          error={errors['limitSchedule.timeZone']}
          hint="Such as Europe/Berlin."
          autoCapitalize="none"
          spellCheck={false}
          onChange={(event) => onChange({ zone: event.target.value })}
        />
      )}
      {rules.map((rule, position) => (
        <Rule
          // oxlint-disable-next-line react/no-array-index-key -- rules have no names; one is its place in the list
          key={position}
          rule={rule}
          number={position + 1}
          errors={errors}
          onChange={(part) => change(position, part)}
          onRemove={() => onChange({ rules: rules.filter((_, at) => at !== position) })}
        />
      ))}
      {rules.length < MAX_SCHEDULE_RULES && (
        <div>
          <Button small icon="plus" onClick={() => onChange({ rules: [...rules, NEW_RULE] })}>
            Add hours
          </Button>
        </div>
      )}
    </fieldset>
  );
}

function Rule({
  rule,
  number,
  errors,
  onChange,
  onRemove,
}: {
  rule: RuleDraft;
  number: number;
  errors: FieldErrors;
  onChange: (part: Partial<RuleDraft>) => void;
  onRemove: () => void;
}): ReactElement {
  const at = (field: string): string | undefined => errors[`limitSchedule.rules.${number - 1}.${field}`];
  const toggle = (day: Weekday, on: boolean): void => {
    onChange({ days: WEEKDAYS.filter((each) => (each === day ? on : rule.days.includes(each))) });
  };
  return (
    <fieldset className={styles.rule}>
      <legend className="visually-hidden">Rule {number}</legend>
      <fieldset className={styles.days}>
        <legend className="visually-hidden">Days of rule {number}</legend>
        {DAYS.map(({ day, label }) => (
          <label key={day} className={styles.day}>
            <input
              type="checkbox"
              checked={rule.days.includes(day)}
              onChange={(event) => toggle(day, event.target.checked)}
            />
            {label}
          </label>
        ))}
      </fieldset>
      {at('days') !== undefined && <p className={styles.error}>{at('days')}</p>}
      <div className={styles.hours}>
        <TextField
          label="From"
          type="time"
          value={rule.from}
          error={at('from')}
          onChange={(event) => onChange({ from: event.target.value })}
        />
        <TextField
          label="To"
          type="time"
          // A time field knows no 24:00; as a rule it means the same as 00:00 of the next day.
          value={rule.to === '24:00' ? '00:00' : rule.to}
          error={at('to')}
          onChange={(event) => onChange({ to: event.target.value })}
        />
        <TextField
          label="Limit"
          unit="TPS"
          inputMode="numeric"
          autoComplete="off"
          value={rule.limitText}
          error={at('limitTps')}
          onChange={(event) => onChange({ limitText: event.target.value })}
        />
        <Button small icon="trash" aria-label={`Remove rule ${number}`} onClick={onRemove}>
          Remove
        </Button>
      </div>
    </fieldset>
  );
}

import type { ReactElement, ReactNode } from 'react';
import { CheckField } from '../../components/check-field.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import type { FieldErrors } from '../../words/field-errors.ts';
import type { BeyondDraft } from './beyond-draft.ts';
import styles from './rate-limiting.module.css';

export interface BeyondProps {
  beyond: BeyondDraft;
  errors: FieldErrors;
  onChange: (part: Partial<BeyondDraft>) => void;
}

/** Settings beyond the documented behaviour; each is off until it is chosen. */
export function BeyondFields(props: BeyondProps): ReactElement {
  return (
    <fieldset className={styles.group}>
      <legend className={styles.legend}>Beyond the documented behaviour</legend>
      <p className={styles.remark}>Every choice starts as documented. Agents follow with their next heartbeat.</p>
      <PolicyFields {...props} />
      <PacingFields {...props} />
      <LossFields {...props} />
    </fieldset>
  );
}

const POLICIES = {
  reclaim: 'As documented: slack agents give back half of what they leave unused, smoothed over about five windows.',
  'max-min':
    'Slack agents keep what they use and some headroom; the rest goes to whoever wants it, in one window. With one hungry agent of ten, the documented cycle uses 57% of the budget, this one at least 99%.',
} as const;

const COSTS = {
  'per-object': 'As documented: 1 per listing call and per object, 11 for an object in parts; reading is free.',
  'per-request': 'Every request that is really sent is charged to its type: HEAD, ranges, parts and retries, too.',
} as const;

function PolicyFields({ beyond, onChange }: BeyondProps): ReactElement {
  return (
    <>
      <SelectField
        label="Allocation policy"
        value={beyond.policy}
        hint={POLICIES[beyond.policy]}
        onChange={(event) => onChange({ policy: event.target.value === 'max-min' ? 'max-min' : 'reclaim' })}
      >
        <option value="reclaim">Reclaim (documented)</option>
        <option value="max-min">Max-min</option>
      </SelectField>
      <SelectField
        label="Cost model"
        value={beyond.costModel}
        hint={COSTS[beyond.costModel]}
        onChange={(event) =>
          onChange({ costModel: event.target.value === 'per-request' ? 'per-request' : 'per-object' })
        }
      >
        <option value="per-object">Per object (documented)</option>
        <option value="per-request">Per request</option>
      </SelectField>
      <CheckField
        label="Overshoot guard"
        hint="Grants are drawn from a counter per window, so that together they can never pass the budget, whatever restarts or joins."
        checked={beyond.guard}
        onChange={(guard) => onChange({ guard })}
      />
    </>
  );
}

/** A choice with a number that matters only while it is made. */
function WithNumber({
  label,
  hint,
  checked,
  onCheck,
  children,
}: {
  label: string;
  hint: string;
  checked: boolean;
  onCheck: (checked: boolean) => void;
  children: ReactNode;
}): ReactElement {
  return (
    <div className={styles.choice}>
      <CheckField label={label} hint={hint} checked={checked} onChange={onCheck} />
      {checked && <div className={styles.indented}>{children}</div>}
    </div>
  );
}

function PacingFields({ beyond, errors, onChange }: BeyondProps): ReactElement {
  return (
    <WithNumber
      label="Pace credits inside the window"
      hint="Released evenly instead of all at once, so that storage with a hard limit per second never sees the burst."
      checked={beyond.paced}
      onCheck={(paced) => onChange({ paced })}
    >
      <TextField
        label="Burst after a lull"
        unit="s"
        inputMode="decimal"
        autoComplete="off"
        className={styles.short}
        value={beyond.burstText}
        error={errors['pacing.burstSeconds']}
        hint="0.02 to 10 seconds' worth of the allocation. The peak second is at most (1 + this) times the limit."
        onChange={(event) => onChange({ burstText: event.target.value })}
      />
    </WithNumber>
  );
}

function LossFields({ beyond, errors, onChange }: BeyondProps): ReactElement {
  return (
    <>
      <WithNumber
        label="Go on at a safe rate while no console answers"
        hint="Otherwise, as documented, operations are parked until a console answers."
        checked={beyond.safeRate}
        onCheck={(safeRate) => onChange({ safeRate })}
      >
        <TextField
          label="Safe rate of each agent"
          unit="TPS"
          inputMode="decimal"
          autoComplete="off"
          className={styles.short}
          value={beyond.safeText}
          error={errors['consoleLost.safeTps']}
          hint="From 1 TPS. Times the number of agents it should stay below what the storage bears."
          onChange={(event) => onChange({ safeText: event.target.value })}
        />
      </WithNumber>
      <WithNumber
        label="Lower the limit after 503 SlowDown"
        hint="Each lowers the limit of the whole fleet by 30%, once a window; quiet windows raise it again by 5% of the set limit."
        checked={beyond.lowerLimit}
        onCheck={(lowerLimit) => onChange({ lowerLimit })}
      >
        <TextField
          label="Never below"
          unit="TPS"
          inputMode="numeric"
          autoComplete="off"
          className={styles.short}
          value={beyond.floorText}
          error={errors['slowDownReaction.floorTps']}
          hint="At least 100."
          onChange={(event) => onChange({ floorText: event.target.value })}
        />
      </WithNumber>
    </>
  );
}

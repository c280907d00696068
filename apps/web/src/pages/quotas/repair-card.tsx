import { useState, type FormEvent, type ReactElement } from 'react';
import type { AuditRunView, FixMode, RepairAnswer, RepairPlan, RepairProgress } from '@weir/protocol';
import { isRunning, useRepairQuotaAudit } from '../../data/quotas.ts';
import { useMay } from '../../data/session.ts';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { Remark } from '../../components/remark.tsx';
import { formatCount, formatPlural } from '../../format/numbers.ts';
import { SPARED_WORDS } from '../../words/quota-words.ts';
import styles from './quotas.module.css';

const MODES: Readonly<Record<FixMode, { label: string; text: string }>> = {
  date: {
    label: 'Give deadlines',
    text: 'Every counter that was listed gets the deadline that its period asks for. Nothing is deleted.',
  },
  delete: { label: 'Delete what has ended', text: 'Counters of periods that are over everywhere are deleted.' },
};

/** Lifetimes that are offered for counters whose names tell none. */
const LIFETIMES = [
  { label: 'As their siblings have', ms: 0 },
  { label: '1 hour', ms: 3_600_000 },
  { label: '1 day', ms: 86_400_000 },
  { label: '31 days', ms: 31 * 86_400_000 },
];

/** Repairs what was found: a plan first, then, after a confirmation, the changes. */
export function RepairCard({ audit }: { audit: AuditRunView }): ReactElement {
  const may = useMay('admin');
  const [mode, setMode] = useState<FixMode>('date');
  const [lifetimeMs, setLifetimeMs] = useState(0);
  const [planned, setPlanned] = useState<RepairAnswer | null>(null);
  const plan = useRepairQuotaAudit(audit.auditId);
  const request = { mode, ...(lifetimeMs === 0 || mode === 'delete' ? {} : { lifetimeMs }) };
  const busy = isRunning(audit);
  return (
    <Card title="Repair" description="Only what was listed is touched, and only if it still is as it was found.">
      <div className={styles.column}>
        {audit.repair !== null && <Progress repair={audit.repair} running={audit.state === 'fixing'} />}
        {may ? (
          <>
            <div className={styles.pair}>
              <SelectField
                label="What to do"
                value={mode}
                hint={MODES[mode].text}
                disabled={busy}
                onChange={(event) => setMode(event.target.value === 'delete' ? 'delete' : 'date')}
              >
                {(['date', 'delete'] as const).map((each) => (
                  <option key={each} value={each}>
                    {MODES[each].label}
                  </option>
                ))}
              </SelectField>
              {mode === 'date' && (
                <SelectField
                  label="Lifetime without a period in the name"
                  value={String(lifetimeMs)}
                  disabled={busy}
                  onChange={(event) => setLifetimeMs(Number(event.target.value))}
                >
                  {LIFETIMES.map(({ label, ms }) => (
                    <option key={ms} value={ms}>
                      {label}
                    </option>
                  ))}
                </SelectField>
              )}
            </div>
            {plan.isError && <ErrorNotice error={plan.error} />}
            <div className={styles.actions}>
              <Button
                variant="primary"
                busy={plan.isPending}
                disabled={busy}
                onClick={() => plan.mutate({ ...request, dryRun: true }, { onSuccess: setPlanned })}
              >
                {plan.isPending ? 'Planning…' : 'Show what would be done'}
              </Button>
            </div>
          </>
        ) : (
          <Remark as="p">Administrators repair what was found.</Remark>
        )}
      </div>
      {planned !== null && (
        <ConfirmRepair audit={audit} plan={planned.plan} request={request} onClose={() => setPlanned(null)} />
      )}
    </Card>
  );
}

function ConfirmRepair({
  audit,
  plan,
  request,
  onClose,
}: {
  audit: AuditRunView;
  plan: RepairPlan;
  request: { mode: FixMode; lifetimeMs?: number };
  onClose: () => void;
}): ReactElement {
  const repair = useRepairQuotaAudit(audit.auditId);
  const [confirm, setConfirm] = useState('');
  const [error, setError] = useState<string | null>(null);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const right = confirm.trim() === audit.storeName;
    setError(right ? null : `Type ${audit.storeName} to confirm.`);
    if (right && !repair.isPending) {
      repair.mutate({ ...request, dryRun: false, confirm: audit.storeName }, { onSuccess: onClose });
    }
  };
  const verb = plan.mode === 'date' ? 'get a deadline' : 'are deleted';
  return (
    <Dialog open onClose={onClose} title="What would be done" description="Nothing has been changed so far.">
      <form className={styles.form} onSubmit={submit} noValidate autoComplete="off">
        <Notice
          tone={plan.changes === 0 ? 'info' : 'amber'}
          title={`${formatPlural(plan.changes, 'counter')} ${verb}.`}
        >
          <Spared spared={plan.spared} />
        </Notice>
        {plan.changes > 0 && (
          <TextField
            label={`Type the name of the store, ${audit.storeName}, to confirm`}
            value={confirm}
            error={error}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => {
              setConfirm(event.target.value);
              setError(null);
            }}
          />
        )}
        {repair.isError && <ErrorNotice error={repair.error} />}
        <DialogActions>
          <Button onClick={onClose}>Change nothing</Button>
          {plan.changes > 0 && (
            <Button variant="danger" type="submit" busy={repair.isPending}>
              {plan.mode === 'date' ? 'Date them' : 'Delete them'}
            </Button>
          )}
        </DialogActions>
      </form>
    </Dialog>
  );
}

function Spared({ spared }: { spared: Readonly<Record<string, number>> }): ReactElement | null {
  const reasons = Object.entries(spared).filter(([, count]) => count > 0);
  if (reasons.length === 0) return null;
  return (
    <ul>
      {reasons.map(([why, count]) => (
        <li key={why}>
          {formatCount(count)} are left alone: they {SPARED_WORDS[why] ?? why}.
        </li>
      ))}
    </ul>
  );
}

function Progress({ repair, running }: { repair: RepairProgress; running: boolean }): ReactElement {
  const others = [
    [repair.kept, 'put right by somebody else meanwhile'],
    [repair.gone, 'gone meanwhile'],
    [repair.changed, 'changed meanwhile and left alone'],
    [repair.failed, 'failed'],
  ] as const;
  const rest = others.filter(([count]) => count > 0).map(([count, what]) => `${formatCount(count)} ${what}`);
  return (
    <Notice
      tone={repair.failed > 0 ? 'red' : 'green'}
      live={!running}
      title={`${formatPlural(repair.done, 'counter')} ${repair.mode === 'date' ? 'dated' : 'deleted'}${running ? ' so far' : ''}.`}
    >
      {rest.length > 0 && <p>{rest.join(', ')}.</p>}
      <Spared spared={repair.spared} />
    </Notice>
  );
}

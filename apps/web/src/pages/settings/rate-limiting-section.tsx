import { useState, type ReactElement } from 'react';
import type { VersionedGovernorSettings } from '@weir/protocol';
import { useAgentTotals } from '../../data/agents.ts';
import { useWindowMs } from '../../data/polling.ts';
import { useMay } from '../../data/session.ts';
import { useGovernorSettings, useSaveGovernorSettings } from '../../data/settings.ts';
import { Button } from '../../components/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { toastDone } from '../../components/toasts.tsx';
import { formatDateTime } from '../../format/time.ts';
import { useLeaveGuard } from '../../shell/leave-guard.ts';
import { refusedFields, type FieldErrors } from '../../words/field-errors.ts';
import { checkDraft, draftOf, isSameDraft, type LimitDraft } from './limit-draft.ts';
import { RateLimitingForm } from './rate-limiting-form.tsx';
import { workedExample } from './worked-example.ts';
import { WorkedExampleCard } from './worked-example-card.tsx';
import styles from './rate-limiting.module.css';

/** Agents of the example while none is enrolled. */
const EXAMPLE_AGENTS = 3;

/** The viewer's zone: what a first schedule will mostly mean. */
const ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** TPS Rate Limiting: the settings and what they mean. */
export function RateLimitingSection(): ReactElement {
  const settings = useGovernorSettings();
  return (
    <QueryState query={settings} placeholderHeight={620}>
      {(saved) => <Editor saved={saved} />}
    </QueryState>
  );
}

function Editor({ saved }: { saved: VersionedGovernorSettings }): ReactElement {
  const may = useMay('admin');
  const save = useSaveGovernorSettings();
  // What the form started from. It follows the console while nothing is edited.
  const [base, setBase] = useState(saved);
  const [draft, setDraft] = useState<LimitDraft>(() => draftOf(saved.settings, ZONE));
  const [errors, setErrors] = useState<FieldErrors>({});
  const dirty = !isSameDraft(draft, draftOf(base.settings, ZONE));
  const load = (from: VersionedGovernorSettings): void => {
    setBase(from);
    setDraft(draftOf(from.settings, ZONE));
    setErrors({});
  };
  if (saved.version !== base.version && !dirty) load(saved);
  useLeaveGuard(dirty);

  const submit = (): boolean => {
    const checked = checkDraft(draft);
    setErrors(checked.ok ? {} : checked.errors);
    if (!checked.ok || save.isPending) return checked.ok;
    save.mutate(checked.settings, {
      onSuccess: (kept) => {
        load(kept);
        toastDone('Settings saved', 'Agents follow them from their next heartbeat.');
      },
      onError: (error) => setErrors(refusedFields(error)),
    });
    return true;
  };

  return (
    <div className={styles.columns}>
      <div className={styles.column}>
        {!may && <Notice tone="info" title="Only administrators change these settings." />}
        {dirty && saved.version !== base.version && (
          <Notice
            tone="amber"
            live
            title={`${saved.changedBy} saved other settings meanwhile.`}
            actions={
              <Button small onClick={() => load(saved)}>
                Load them
              </Button>
            }
          >
            Saving replaces them with the values on this page.
          </Notice>
        )}
        <RateLimitingForm
          draft={draft}
          errors={errors}
          editable={may}
          dirty={dirty}
          saving={save.isPending}
          failure={save.isError && Object.keys(errors).length === 0 ? save.error : null}
          onChange={(next, nextErrors) => {
            setDraft(next);
            setErrors(nextErrors);
            if (save.isError) save.reset();
          }}
          onDiscard={() => load(saved)}
          onSubmit={submit}
        />
        <p className={styles.changed}>
          {saved.version === 0
            ? 'Never changed: these are the defaults.'
            : `Last changed by ${saved.changedBy} on ${formatDateTime(saved.changedAtMs)} (version ${saved.version}).`}
        </p>
      </div>
      <Example draft={draft} />
    </div>
  );
}

function Example({ draft }: { draft: LimitDraft }): ReactElement {
  const windowMs = useWindowMs();
  const { runningAgents = 0, registeredAgents = 0 } = useAgentTotals().data ?? {};
  const known = runningAgents > 0 ? runningAgents : registeredAgents;
  const checked = checkDraft(draft);
  return (
    <WorkedExampleCard
      types={draft.types}
      costModel={draft.beyond.costModel}
      assumedAgents={known === 0}
      example={
        checked.ok
          ? workedExample({
              globalLimitTps: checked.settings.globalLimitTps,
              agents: known === 0 ? EXAMPLE_AGENTS : known,
              windowSeconds: windowMs / 1_000,
              types: draft.types,
              costModel: draft.beyond.costModel,
              thresholdPercent: checked.settings.alarmThresholdPercent,
            })
          : null
      }
    />
  );
}

import type { ReactElement } from 'react';
import type { VersionedGovernorSettings } from '@weir/protocol';
import { useAgentTotals } from '../../data/agents.ts';
import { wasChangedMeanwhile } from '../../data/changed-meanwhile.ts';
import { useWindowMs } from '../../data/polling.ts';
import { useMay } from '../../data/session.ts';
import { useGovernorSettings } from '../../data/settings.ts';
import { ChangedMeanwhile } from '../../components/changed-meanwhile.tsx';
import { Notice } from '../../components/notice.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { formatDateTime } from '../../format/time.ts';
import { useLeaveGuard } from '../../shell/leave-guard.ts';
import { checkDraft, type LimitDraft } from './limit-draft.ts';
import { RateLimitingForm } from './rate-limiting-form.tsx';
import { useSettingsForm } from './settings-form.ts';
import { workedExample } from './worked-example.ts';
import { WorkedExampleCard } from './worked-example-card.tsx';
import styles from './rate-limiting.module.css';

/** Agents of the example while none is enrolled. */
const EXAMPLE_AGENTS = 3;

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
  const form = useSettingsForm(saved);
  const { draft, errors, dirty, save, conflict } = form;
  useLeaveGuard(dirty);
  return (
    <div className={styles.columns}>
      <div className={styles.column}>
        {!may && <Notice tone="info" title="Only administrators change these settings." />}
        <RateLimitingForm
          draft={draft}
          errors={errors}
          editable={may}
          dirty={dirty}
          saving={save.isPending}
          failure={save.isError && conflict === null && Object.keys(errors).length === 0 ? save.error : null}
          conflict={
            conflict && (
              <ChangedMeanwhile
                what="these settings"
                changedBy={saved.changedBy}
                changedAtMs={saved.changedAtMs}
                {...conflict}
                refused={wasChangedMeanwhile(save.error)}
                onKeep={form.keep}
                onLoad={form.discard}
              />
            )
          }
          onChange={form.change}
          onDiscard={form.discard}
          onSubmit={form.submit}
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

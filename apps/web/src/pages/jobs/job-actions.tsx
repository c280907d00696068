import { useState, type ReactElement } from 'react';
import type { JobAction, JobView } from '@weir/protocol';
import { useActOnJob } from '../../data/jobs.ts';
import { useMay } from '../../data/session.ts';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import type { IconName } from '../../components/icon.tsx';
import { toastDone, toastError } from '../../components/toasts.tsx';
import { actionsFor } from '../../words/job-words.ts';

const ACTIONS: Readonly<Record<JobAction, { label: string; icon: IconName; done: string }>> = {
  pause: { label: 'Pause', icon: 'pause', done: 'Paused. Agents stop at their next checkpoint.' },
  resume: { label: 'Resume', icon: 'play', done: 'Resumed. Agents continue from the checkpoint.' },
  cancel: { label: 'Cancel', icon: 'stop', done: 'Cancelled. Unfinished uploads are cleaned up.' },
  retry: { label: 'Retry', icon: 'refresh', done: 'Queued again. Only what is missing is copied.' },
};

/** Buttons for what can be done with a job now; none for viewers. */
export function JobActions({ job, small = false }: { job: JobView; small?: boolean }): ReactElement | null {
  const act = useActOnJob();
  const may = useMay('operator');
  const [asking, setAsking] = useState(false);
  if (!may) return null;
  const run = (action: JobAction): void =>
    act.mutate(
      { jobId: job.jobId, action },
      {
        onSuccess: () => toastDone(job.name, ACTIONS[action].done),
        onError: toastError,
        onSettled: () => setAsking(false),
      },
    );
  return (
    <>
      {actionsFor(job.state).map((action) => (
        <Button
          key={action}
          small={small}
          icon={ACTIONS[action].icon}
          busy={act.isPending}
          aria-label={`${ACTIONS[action].label} ${job.name}`}
          onClick={() => (action === 'cancel' ? setAsking(true) : run(action))}
        >
          {ACTIONS[action].label}
        </Button>
      ))}
      <ConfirmDialog
        open={asking}
        title={`Cancel “${job.name}”?`}
        confirmLabel="Cancel the job"
        cancelLabel="Keep it running"
        danger
        busy={act.isPending}
        onConfirm={() => run('cancel')}
        onCancel={() => setAsking(false)}
      >
        Agents stop at once and remove unfinished uploads. Objects that were copied stay at the target. The job can be
        retried later.
      </ConfirmDialog>
    </>
  );
}

import { useState, type ReactElement } from 'react';
import { useLocation } from 'wouter';
import type { JobView } from '@weir/protocol';
import { isOver, useDeleteJob, useRepeatJob } from '../../data/jobs.ts';
import { useMay } from '../../data/session.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { toastDone, toastError } from '../../components/toasts.tsx';

/** What can be done with a job as a whole: the same again, another like it, and away with it. */
export function EndedJobActions({ job }: { job: JobView }): ReactElement | null {
  const may = useMay('operator');
  const repeat = useRepeatJob();
  const [, navigate] = useLocation();
  if (!may) return null;
  return (
    <>
      {isOver(job.state) && (
        <Button
          icon="refresh"
          busy={repeat.isPending}
          onClick={() =>
            repeat.mutate(
              { jobId: job.jobId },
              {
                onSuccess: (again) => {
                  toastDone('The job is queued again', 'As a new job with the same options.');
                  navigate(`/jobs/${again.jobId}`);
                },
                onError: toastError,
              },
            )
          }
        >
          Run again
        </Button>
      )}
      <ButtonLink href={`/jobs/new?from=${job.jobId}`}>Duplicate</ButtonLink>
      {isOver(job.state) && <DeleteJob job={job} />}
    </>
  );
}

function DeleteJob({ job }: { job: JobView }): ReactElement {
  const remove = useDeleteJob();
  const [asking, setAsking] = useState(false);
  const [, navigate] = useLocation();
  return (
    <>
      <Button variant="danger" onClick={() => setAsking(true)}>
        Delete
      </Button>
      <ConfirmDialog
        open={asking}
        title={`Delete “${job.name}”?`}
        confirmLabel="Delete the job"
        danger
        busy={remove.isPending}
        error={remove.error}
        onCancel={() => setAsking(false)}
        onConfirm={() =>
          remove.mutate(job.jobId, {
            onSuccess: () => {
              toastDone(`“${job.name}” is deleted`, 'What it copied stays at the target.');
              navigate('/jobs');
            },
          })
        }
      >
        Its figures, its list of failed objects and its manifest are removed. What it copied stays at the target.
      </ConfirmDialog>
    </>
  );
}

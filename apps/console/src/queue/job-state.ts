import type { JobAction, JobState } from '@weir/protocol';

/*
 *   queued ──first claim──▶ running ⇄ paused        (a queued job can be paused too, and then resumes as queued)
 *   running ──all shards done──▶ completed | completed-with-failures
 *   running ──an agent says the job cannot go on──▶ failed
 *   any unfinished ──cancel──▶ cancelled
 *   completed-with-failures, failed, cancelled ──retry──▶ queued
 */

const ALLOWED: Record<JobAction, readonly JobState[]> = {
  pause: ['queued', 'running'],
  resume: ['paused'],
  cancel: ['queued', 'running', 'paused'],
  retry: ['completed-with-failures', 'failed', 'cancelled'],
};

/** States in which a job can still change by itself. */
export const UNFINISHED: readonly JobState[] = ['queued', 'running', 'paused'];

/** States from which an action may be taken. */
export function statesFor(action: JobAction): readonly JobState[] {
  return ALLOWED[action];
}

/** Where an action leads from an allowed state. */
export function stateAfter(action: JobAction, startedBefore: boolean): JobState {
  const resumed = startedBefore ? 'running' : 'queued';
  return ({ pause: 'paused', resume: resumed, cancel: 'cancelled', retry: 'queued' } as const)[action];
}

const DESIRED = {
  queued: 'run',
  running: 'run',
  paused: 'release',
  completed: 'release',
  'completed-with-failures': 'release',
  // Not abandoned: a retry goes on from the checkpoints.
  failed: 'release',
  cancelled: 'abandon',
} as const;

/** States in which what dead agents left at the target is removed. */
export const CLEANED_UP: readonly JobState[] = ['cancelled', 'failed'];

/** What an agent that holds a shard of a job in this state should do. A clean-up goes on until somebody retries the job. */
export function desiredOf(state: JobState, leaseKind: 'copy' | 'clean-up' = 'copy'): 'run' | 'release' | 'abandon' {
  if (leaseKind === 'clean-up') return CLEANED_UP.includes(state) ? 'run' : 'release';
  return DESIRED[state];
}

/** States of jobs that have ended and change only when somebody acts. */
export function isEnded(state: JobState): boolean {
  return !UNFINISHED.includes(state);
}

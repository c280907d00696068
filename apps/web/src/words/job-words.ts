import type { CopyMode, JobAction, JobState, JobView } from '@weir/protocol';

/** How a state is named and coloured. */
export const JOB_STATES: Readonly<
  Record<JobState, { label: string; tone: 'green' | 'amber' | 'red' | 'gray' | 'accent' }>
> = {
  queued: { label: 'Queued', tone: 'gray' },
  running: { label: 'Running', tone: 'green' },
  paused: { label: 'Paused', tone: 'amber' },
  completed: { label: 'Completed', tone: 'accent' },
  'completed-with-failures': { label: 'Completed with failures', tone: 'amber' },
  failed: { label: 'Failed', tone: 'red' },
  cancelled: { label: 'Cancelled', tone: 'gray' },
};

/** Modes in the order in which they are offered. */
export const COPY_MODES: readonly { mode: CopyMode; label: string; text: string }[] = [
  { mode: 'copy-all', label: 'Copy all', text: 'Every object, also those that exist at the target.' },
  { mode: 'target-skip', label: 'Target skip', text: 'Only objects whose key does not exist at the target.' },
  {
    mode: 'incremental',
    label: 'Incremental',
    text: 'Objects that are missing at the target, differ in size, or are newer at the source.',
  },
];

/** Name of a mode. */
export function modeLabel(mode: CopyMode): string {
  return COPY_MODES.find((one) => one.mode === mode)?.label ?? mode;
}

/** What can be done with a job in a state, most likely first. */
export function actionsFor(state: JobState): readonly JobAction[] {
  switch (state) {
    case 'queued':
    case 'running':
      return ['pause', 'cancel'];
    case 'paused':
      return ['resume', 'cancel'];
    case 'completed-with-failures':
    case 'failed':
    case 'cancelled':
      return ['retry'];
    case 'completed':
      return [];
    default:
      return state satisfies never;
  }
}

/** `Frankfurt / invoices / 2024/`: one side of a job in a line. */
export function locationText(location: JobView['source']): string {
  return [location.endpointName, location.bucket, location.prefix].filter((part) => part !== '').join(' / ');
}

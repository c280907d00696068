import { z } from 'zod';
import { copyFilter, DEFAULT_JOB_OPTIONS, type JobOptions } from './job-options.ts';
import { OLDEST_PROTOCOL_VERSION } from './limits.ts';
import type { LimiterInstructions } from './agents.ts';

/**
 * What an assignment may ask of an agent, each with the version of the wire that brought it. An older agent would take the
 * assignment and ignore the field: copy what a filter leaves out, write in a dry run, copy a cancelled job that it should
 * clean up after. So it is never given one.
 */
export const ASSIGNMENT_NEEDS = {
  /** Removing the unfinished uploads that another agent left. */
  'clean-up': 2,
  filter: 2,
  'dry-run': 2,
  'listing-check': 2,
  'server-side-copy': 2,
  manifest: 2,
  /** Another threshold or size of parts than 128 and 8 MiB. */
  'part-sizes': 2,
  /** Charging every request that is sent. */
  'request-costs': 2,
  /** Spreading credits evenly over the window. */
  pacing: 2,
} as const;

export const assignmentNeed = z.enum([
  'clean-up',
  'filter',
  'dry-run',
  'listing-check',
  'server-side-copy',
  'manifest',
  'part-sizes',
  'request-costs',
  'pacing',
]);
export type AssignmentNeed = z.infer<typeof assignmentNeed>;

const NO_FILTER = JSON.stringify(copyFilter.parse({}));

/** What a job asks of its agents. `sameEndpoint`: its source and its target are one endpoint. */
export function jobNeeds(options: JobOptions, sameEndpoint: boolean): AssignmentNeed[] {
  const { multipartThresholdBytes, partBytes } = DEFAULT_JOB_OPTIONS;
  const needs: Partial<Record<AssignmentNeed, boolean>> = {
    filter: JSON.stringify(copyFilter.parse(options.filter)) !== NO_FILTER,
    'dry-run': options.dryRun,
    'listing-check': options.checkBy === 'listing',
    'server-side-copy': sameEndpoint && options.serverSideCopy,
    manifest: options.manifest,
    'part-sizes': options.multipartThresholdBytes !== multipartThresholdBytes || options.partBytes !== partBytes,
  };
  return assignmentNeed.options.filter((need) => needs[need] === true);
}

/** What the settings of the limiter ask of every agent that works. */
export function limiterNeeds({ mode, costModel, pacing }: LimiterInstructions): AssignmentNeed[] {
  if (mode === 'off') return [];
  return [
    ...(costModel === 'per-request' ? (['request-costs'] as const) : []),
    ...(pacing === undefined ? [] : (['pacing'] as const)),
  ];
}

/** Oldest version of the wire whose agents do all of this. */
export function versionFor(needs: readonly AssignmentNeed[]): number {
  return needs.reduce((version: number, need) => Math.max(version, ASSIGNMENT_NEEDS[need]), OLDEST_PROTOCOL_VERSION);
}

import type { CopyFailure, JobAction, JobInput, JobState, JobView, PlannedObject, RepeatRequest } from '@weir/protocol';
import { useMutation, useQuery, type UseMutationResult, type UseQueryResult } from '@tanstack/react-query';
import { consoleClient, queryClient } from './console.ts';
import { pollEvery } from './polling.ts';
import { queryKeys } from './query-keys.ts';

/** How often progress is read while a job can change by itself, and else, in ms. */
const LIVE_POLL_MS = 2_000;
const QUIET_POLL_MS = 15_000;

/** Jobs listed; older ones stay in the console. */
export const SHOWN_JOBS = 500;

/** Failed objects read for the page of a job. */
export const SHOWN_FAILURES = 1_000;

/** Whether a job can still change by itself. */
export function isLive(state: JobState): boolean {
  return state === 'queued' || state === 'running';
}

/** Whether a job has ended, well or not. */
export function isOver(state: JobState): boolean {
  return !isLive(state) && state !== 'paused';
}

export function useJobs(): UseQueryResult<readonly JobView[]> {
  return useQuery({
    queryKey: queryKeys.jobs,
    queryFn: async ({ signal }) => (await consoleClient.call('jobs', { query: { limit: SHOWN_JOBS }, signal })).jobs,
    refetchInterval: (query) =>
      pollEvery(query.state.data?.some((job) => isLive(job.state)) === true ? LIVE_POLL_MS : QUIET_POLL_MS)(query),
  });
}

/** Whether there is any job. Asked until there is one: that never changes back. */
export function useAnyJob(): UseQueryResult<boolean> {
  return useQuery({
    queryKey: queryKeys.anyJob,
    queryFn: async ({ signal }) => (await consoleClient.call('jobs', { query: { limit: 1 }, signal })).jobs.length > 0,
    refetchInterval: (query) => (query.state.data === true ? false : LIVE_POLL_MS),
    staleTime: (query) => (query.state.data === true ? Infinity : 0),
  });
}

export function useJob(jobId: string): UseQueryResult<JobView> {
  return useQuery<JobView>({
    queryKey: queryKeys.job(jobId),
    queryFn: ({ signal }) => consoleClient.call('job', { params: { jobId }, signal }),
    refetchInterval: (query) =>
      pollEvery(query.state.data !== undefined && isLive(query.state.data.state) ? LIVE_POLL_MS : QUIET_POLL_MS)(query),
    // The list knows the job already: its page opens without a loading state.
    placeholderData: () =>
      queryClient.getQueryData<readonly JobView[]>(queryKeys.jobs)?.find((job) => job.jobId === jobId),
  });
}

/** Objects that could not be copied, and how many there are in all. */
export function useJobFailures(
  jobId: string,
  failed: number,
): UseQueryResult<{ failures: readonly CopyFailure[]; total: number }> {
  return useQuery({
    queryKey: [...queryKeys.jobFailures(jobId), failed],
    queryFn: ({ signal }) =>
      consoleClient.call('jobFailures', { params: { jobId }, query: { limit: SHOWN_FAILURES }, signal }),
    enabled: failed > 0,
    placeholderData: (previous) => previous,
  });
}

export function useCreateJob(): UseMutationResult<JobView, Error, JobInput> {
  return useMutation({
    mutationFn: (input) => consoleClient.call('createJob', { body: input }),
    onSuccess: (created) => {
      queryClient.setQueryData<readonly JobView[]>(queryKeys.jobs, (known) => [created, ...(known ?? [])]);
      return queryClient.invalidateQueries({ queryKey: queryKeys.jobs });
    },
  });
}

/** Pauses, resumes, cancels or retries a job; the answer is shown at once. */
export function useActOnJob(): UseMutationResult<JobView, Error, { jobId: string; action: JobAction }> {
  return useMutation({
    mutationFn: (params) => consoleClient.call('actOnJob', { params }),
    onSuccess: (changed) => {
      queryClient.setQueryData(queryKeys.job(changed.jobId), changed);
      queryClient.setQueryData<readonly JobView[]>(queryKeys.jobs, (known) =>
        known?.map((job) => (job.jobId === changed.jobId ? changed : job)),
      );
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKeys.jobs }),
  });
}

/** First objects of a dry run; read anew as it lists more, until there are enough. */
export function useJobPlan(jobId: string, listed: number): UseQueryResult<readonly PlannedObject[]> {
  return useQuery({
    queryKey: [...queryKeys.jobPlan(jobId), Math.min(listed, SHOWN_FAILURES)],
    queryFn: async ({ signal }) => (await consoleClient.call('jobPlan', { params: { jobId }, signal })).objects,
    placeholderData: (previous) => previous,
  });
}

/** Queues a new job like this one. */
export function useRepeatJob(): UseMutationResult<JobView, Error, RepeatRequest & { jobId: string }> {
  return useMutation({
    mutationFn: ({ jobId, ...body }) => consoleClient.call('repeatJob', { params: { jobId }, body }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKeys.jobs }),
  });
}

/** Removes an ended job with its lists. */
export function useDeleteJob(): UseMutationResult<unknown, Error, string> {
  return useMutation({
    mutationFn: (jobId) => consoleClient.call('deleteJob', { params: { jobId } }),
    onSuccess: (_, jobId) => {
      queryClient.setQueryData<readonly JobView[]>(queryKeys.jobs, (known) =>
        known?.filter((job) => job.jobId !== jobId),
      );
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKeys.jobs, exact: true }),
  });
}

/** Where the browser finds a file of a job. */
export function jobFile(jobId: string, file: 'failures.csv' | 'failures.json' | 'manifest'): string {
  return `/api/v1/jobs/${jobId}/${file}`;
}

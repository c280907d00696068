import type { JobView } from '@weir/protocol';
import type { StoredJob } from '../ports/job-store.ts';
import { UNFINISHED } from '../queue/job-state.ts';
import { jobProgress } from '../queue/job-progress.ts';
import type { ShardOutline } from '../queue/shard.ts';
import { ConsoleError } from './console-error.ts';
import type { ConsoleContext } from './context.ts';

/** One job. @throws ConsoleError not-found */
export async function readJob(context: ConsoleContext, jobId: string): Promise<JobView> {
  const job = await context.storage.jobs.get(jobId);
  if (job === undefined) throw new ConsoleError('not-found', `There is no job ${jobId}.`);
  return jobViewOf(context, job);
}

/** Jobs, newest first. */
export async function listJobs(context: ConsoleContext, limit: number): Promise<JobView[]> {
  return jobViews(context, await context.storage.jobs.list(limit));
}

/** A job as pages see it. */
export async function jobViewOf(context: ConsoleContext, job: StoredJob): Promise<JobView> {
  const outlines = await context.storage.shards.outlinesOf([job.jobId]);
  return viewOf(context, job, outlines);
}

async function jobViews(context: ConsoleContext, jobs: readonly StoredJob[]): Promise<JobView[]> {
  const byJob = new Map<string, ShardOutline[]>(jobs.map((job) => [job.jobId, []]));
  for (const outline of await context.storage.shards.outlinesOf([...byJob.keys()])) {
    byJob.get(outline.jobId)?.push(outline);
  }
  return jobs.map((job) => viewOf(context, job, byJob.get(job.jobId) ?? []));
}

/** Longest time that is worth telling: ten years. */
const LONGEST_ETA_MS = 10 * 365 * 86_400_000;

function etaMs(objectsLeft: number | null, objectsPerSecond: number): number | null {
  if (objectsLeft === null || objectsPerSecond <= 0) return null;
  const ms = Math.round((objectsLeft / objectsPerSecond) * 1_000);
  return ms <= LONGEST_ETA_MS ? ms : null;
}

function viewOf(context: ConsoleContext, job: StoredJob, shards: readonly ShardOutline[]): JobView {
  const nowMs = context.clock.nowMs();
  const progress = jobProgress(shards);
  const running = job.state === 'running';
  const rates = running
    ? context.rates.read(job.jobId, context.clock.steadyMs())
    : { objectsPerSecond: 0, bytesPerSecond: 0 };
  const agents = holders(context, shards);
  const holdoffs = agents.map((agent) => agent.holdoffUntilMs ?? 0).filter((untilMs) => untilMs > nowMs);
  return {
    jobId: job.jobId,
    name: job.name,
    source: job.source,
    target: job.target,
    mode: job.mode,
    state: job.state,
    error: job.error,
    createdBy: job.createdBy,
    createdAtMs: job.createdAtMs,
    startedAtMs: job.startedAtMs,
    finishedAtMs: job.finishedAtMs,
    counters: progress.counters,
    ...rates,
    shardsDone: progress.shardsDone,
    shardsRunning: progress.shardsRunning,
    shardsTotal: progress.shardsTotal,
    progressPercent: progress.percent,
    etaMs: running ? etaMs(progress.objectsLeft, rates.objectsPerSecond) : null,
    agents: agents.map(({ agentId, name }) => ({ agentId, name })),
    holdoffCount: progress.holdoffs,
    holdoffUntilMs: holdoffs.length > 0 && UNFINISHED.includes(job.state) ? Math.max(...holdoffs) : null,
  };
}

/** Agents that hold shards of the job now, each once. */
function holders(
  context: ConsoleContext,
  shards: readonly ShardOutline[],
): { agentId: string; name: string; holdoffUntilMs: number | null }[] {
  const ids = new Set(shards.filter((shard) => shard.state === 'leased').map((shard) => shard.agentId));
  return [...ids].flatMap((agentId) => {
    const agent = agentId === null ? undefined : context.fleet.get(agentId);
    return agent === undefined ? [] : [agent];
  });
}

import { jobNeeds, limiterNeeds, versionFor, type AssignmentNeed, type JobAgent, type JobView } from '@weir/protocol';
import { NO_RATES, type Rates } from '../fleet/job-rates.ts';
import type { StoredJob } from '../ports/job-store.ts';
import { CLEANED_UP, UNFINISHED } from '../queue/job-state.ts';
import { jobProgress, type JobProgress } from '../queue/job-progress.ts';
import type { ShardOutline } from '../queue/shard.ts';
import { ConsoleError } from './console-error.ts';
import type { ConsoleContext } from './context.ts';
import { limiterInstructions } from './limiter-instructions.ts';
import { troublesOf } from './job-troubles.ts';

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
  return viewOf(context, job, outlines, fleetAbility(context));
}

async function jobViews(context: ConsoleContext, jobs: readonly StoredJob[]): Promise<JobView[]> {
  const byJob = new Map<string, ShardOutline[]>(jobs.map((job) => [job.jobId, []]));
  for (const outline of await context.storage.shards.outlinesOf([...byJob.keys()])) {
    byJob.get(outline.jobId)?.push(outline);
  }
  const ability = fleetAbility(context);
  return jobs.map((job) => viewOf(context, job, byJob.get(job.jobId) ?? [], ability));
}

/** What the settings ask of every agent, and the newest version of the wire that one online speaks; null: none is online. */
interface FleetAbility {
  asked: AssignmentNeed[];
  newestVersion: number | null;
}

function fleetAbility(context: ConsoleContext): FleetAbility {
  return {
    asked: limiterNeeds(limiterInstructions(context.governor)),
    newestVersion: context.fleet.newestOnlineVersion(context.clock.steadyMs()),
  };
}

function needsOf(
  job: StoredJob,
  shards: readonly ShardOutline[],
  { asked, newestVersion }: FleetAbility,
): Pick<JobView, 'needs' | 'needsVersion' | 'waitsForNewerAgents'> {
  const queued = shards.some((shard) => shard.state === 'queued');
  const cleansUp = CLEANED_UP.includes(job.state) && shards.some((shard) => shard.dirty);
  const forJob = cleansUp
    ? ['clean-up' as const]
    : jobNeeds(job.options, job.source.endpointId === job.target.endpointId);
  const needs = [...forJob, ...asked];
  const needsVersion = versionFor(needs);
  const handedOut = cleansUp || job.state === 'queued' || job.state === 'running';
  const tooOld = newestVersion !== null && newestVersion < needsVersion;
  return { needs, needsVersion, waitsForNewerAgents: handedOut && queued && tooOld };
}

function viewOf(
  context: ConsoleContext,
  job: StoredJob,
  shards: readonly ShardOutline[],
  ability: FleetAbility,
): JobView {
  const nowMs = context.clock.nowMs();
  const unfinished = UNFINISHED.includes(job.state);
  const progress = jobProgress(shards);
  const agents = holders(context, shards);
  const holdoffs = agents.map((agent) => agent.holdoffUntilMs ?? 0).filter((untilMs) => untilMs > nowMs);
  const troubles = unfinished ? troublesOf(context, context.leases.held(job.jobId)) : [];
  const figures = figuresOf(context, job, progress, troubles.length > 0 || holdoffs.length > 0);
  return {
    jobId: job.jobId,
    name: job.name,
    source: job.source,
    target: job.target,
    mode: job.mode,
    options: job.options,
    state: job.state,
    error: job.error,
    createdBy: job.createdBy,
    createdAtMs: job.createdAtMs,
    startedAtMs: job.startedAtMs,
    finishedAtMs: job.finishedAtMs,
    counters: progress.counters,
    objectsTotal: progress.objectsTotal,
    ...figures,
    parkedPercent: progress.heldMs === 0 ? null : Math.min(100, (progress.waitedMs / progress.heldMs) * 100),
    shardsDone: progress.shardsDone,
    shardsRunning: progress.shardsRunning,
    shardsTotal: progress.shardsTotal,
    agents: agents.map((agent) => jobAgentOf(context, job, shards, agent)),
    ...needsOf(job, shards, ability),
    troubles,
    cleaningUp: CLEANED_UP.includes(job.state) && shards.some((shard) => shard.dirty),
    holdoffCount: progress.holdoffs,
    holdoffUntilMs: holdoffs.length > 0 && unfinished ? Math.max(...holdoffs) : null,
  };
}

function figuresOf(
  context: ConsoleContext,
  job: StoredJob,
  progress: JobProgress,
  disturbed: boolean,
): Rates & Pick<JobView, 'progressPercent' | 'etaMs'> {
  if (job.state !== 'running') return { ...NO_RATES, progressPercent: progress.percent, etaMs: null };
  const steadyMs = context.clock.steadyMs();
  const rates = context.rates.read(job.jobId, steadyMs);
  const { percent, objectsLeft } = progress;
  const measuredMs = context.rates.measuredMs(job.jobId, steadyMs);
  const { objectsPerSecond } = rates;
  const reading = { percent, objectsLeft, objectsPerSecond, measuredMs, disturbed };
  const steady = context.gauges.read(job.jobId, reading, steadyMs);
  return { ...rates, progressPercent: steady.percent, etaMs: steady.etaMs };
}

function jobAgentOf(
  context: ConsoleContext,
  job: StoredJob,
  shards: readonly ShardOutline[],
  { agentId, name }: { agentId: string; name: string },
): JobAgent {
  const held = shards.filter((shard) => shard.state === 'leased' && shard.agentId === agentId).length;
  return { agentId, name, shards: held, ...context.rates.read(job.jobId, context.clock.steadyMs(), agentId) };
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

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_GOVERNOR_SETTINGS } from '@weir/protocol';
import { machineMs } from '@weir/testkit/grants';
import { type PostgresServer, startPostgres } from '@weir/testkit/postgres';
import { type RedisServer, startRedis } from '@weir/testkit/redis';
import { startFauxqsProcess, startRgw } from '@weir/testkit/s3';
import { AgentPacks } from './agent-pack.ts';
import { ConsoleGroup } from './console-group.ts';
import { JobStream } from './job-stream.ts';
import { countRows, keysOf, sampleProcess, type SoakSample } from './soak-samples.ts';
import { judgeSoak, type Finding } from './soak-verdict.ts';

/** How a Weir runs while it is watched. */
export interface SoakPlan {
  minutes: number;
  agents: number;
  consoles: number;
  /** Short, so that a leak of each heartbeat adds up soon. */
  windowSeconds: number;
  limitTps: number;
  sampleSeconds: number;
  objectsPerJob: number;
  s3: 'bundled' | 'rgw';
}

export interface SoakReport {
  samples: SoakSample[];
  findings: Finding[];
}

/** Jobs write in turn under so many prefixes: it is Weir that is to stay flat, so the S3 server gets no more objects. */
const PREFIXES = 20;
const DRAIN_MS = 120_000;

/** Lets a whole Weir work for minutes, looks at it once in a while, and says whether anything grew. Ends all it started. */
export async function soak(plan: SoakPlan, tell: (sample: SoakSample) => void): Promise<SoakReport> {
  const cleanups: (() => Promise<unknown>)[] = [];
  try {
    const watch = await build(plan, (cleanup) => cleanups.push(cleanup));
    const samples: SoakSample[] = [];
    const startedMs = machineMs();
    const look = async (): Promise<void> => {
      const sample = await watch.sample((machineMs() - startedMs) / 1_000);
      samples.push(sample);
      tell(sample);
    };
    while (machineMs() - startedMs < plan.minutes * 60_000) {
      await sleep(plan.sampleSeconds * 1_000);
      await look();
    }
    await watch.jobs.drain(DRAIN_MS);
    const findings = judgeSoak(samples, watch.watched);
    const { credits } = watch.agents.book.mostLive();
    const budget = plan.limitTps * plan.windowSeconds;
    const differences = await watch.jobs.differences();
    findings.push(
      { what: 'most credits live at once', measured: String(credits), bound: `≤ ${budget}`, ok: credits <= budget },
      { what: 'objects that differ', measured: String(differences.length), bound: '≤ 0', ok: differences.length === 0 },
    );
    return { samples, findings };
  } finally {
    for (const cleanup of cleanups.toReversed()) await cleanup();
  }
}

interface Watch {
  agents: AgentPacks;
  jobs: JobStream;
  /** Names of the processes that must not grow. */
  watched: string[];
  sample(atSeconds: number): Promise<SoakSample>;
}

async function build(plan: SoakPlan, atTheEnd: (cleanup: () => Promise<unknown>) => void): Promise<Watch> {
  const folder = await mkdtemp(join(tmpdir(), 'weir-soak-'));
  atTheEnd(() => rm(folder, { recursive: true, force: true }));
  const s3 = await (plan.s3 === 'rgw' ? startRgw() : startFauxqsProcess());
  atTheEnd(() => s3.stop());
  const redis = await startRedis();
  atTheEnd(() => redis.stop());
  const postgres = await startPostgres();
  atTheEnd(() => postgres.stop());
  const storageUrl = await postgres.createDatabase('weir');
  const { consoles, windowSeconds, limitTps: globalLimitTps } = plan;
  const group = await ConsoleGroup.start({ consoles, folder, storageUrl, redis, windowSeconds });
  atTheEnd(() => group.stop());
  const body = {
    ...DEFAULT_GOVERNOR_SETTINGS,
    globalLimitTps,
    allocationPolicy: 'max-min' as const,
    overshootGuard: true,
  };
  await group.insist('the settings are saved', 30_000, (admin) => admin.call('saveGovernorSettings', { body }));
  const jobs = await JobStream.start({
    s3,
    call: (ask) => group.call(ask),
    objectsPerJob: plan.objectsPerJob,
    backlog: plan.agents + 2,
    prefixes: PREFIXES,
  });
  atTheEnd(() => jobs.close());
  const agents = await AgentPacks.start(plan.agents, {
    consoleUrls: group.urls,
    enrolmentToken: group.enrolmentToken,
    stateDir: join(folder, 'agents'),
    concurrency: 16,
  });
  atTheEnd(() => agents.stop());
  const pids: [string, number][] = [
    ...group.pids.map((pid, n): [string, number] => [`console ${n + 1}`, pid]),
    ...agents.pids.map((pid, n): [string, number] => [`agents ${n + 1}`, pid]),
  ];
  const watched = pids.map(([name]) => name);
  pids.push(['redis', redis.pid], ['postgres', postgres.pid]);
  if ('pid' in s3) pids.push(['s3', s3.pid]);
  return {
    agents,
    jobs,
    watched,
    sample: (atSeconds) => sampleAll(atSeconds, pids, { agents, jobs, redis, postgres }),
  };
}

async function sampleAll(
  atSeconds: number,
  pids: readonly (readonly [string, number])[],
  parts: { agents: AgentPacks; jobs: JobStream; redis: RedisServer; postgres: PostgresServer },
): Promise<SoakSample> {
  const { keys, undated } = keysOf(String(await parts.redis.command('INFO', 'keyspace')));
  const { tally } = parts.jobs;
  const sum = (states: readonly string[]): number => states.reduce((total, state) => total + (tally[state] ?? 0), 0);
  const jobsNotComplete = sum(['completed-with-failures', 'failed', 'cancelled']);
  return {
    atSeconds,
    processes: pids.map(([name, pid]) => sampleProcess(name, pid)),
    keys,
    undatedKeys: undated,
    rows: await countRows(parts.postgres, 'weir'),
    windows: parts.agents.book.windows().length,
    windowsAboveBudget: parts.agents.book.overcharged().length,
    jobsEnded: sum(['completed']) + jobsNotComplete,
    jobsNotComplete,
  };
}

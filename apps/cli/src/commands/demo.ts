import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobView, WindowRecord } from '@weir/protocol';
import { createBucket, callContext } from '@weir/s3-copy';
import { demoObjects } from '../demo/dataset.ts';
import { DEMO_AGENTS, type DemoStage, openStage } from '../demo/demo-stage.ts';
import { followJob } from '../demo/follow-job.ts';
import { comparePlaces, seedBucket } from '../demo/objects.ts';
import { PRESETS } from '../demo/presets.ts';
import { EXIT_CODES } from '../output/command-error.ts';
import { formatBytes, formatCount, formatPercent } from '../output/figures.ts';
import { Progress } from '../output/progress.ts';
import { untilAskedToEnd } from '../output/run-until-signal.ts';
import type { Terminal } from '../output/terminal.ts';

/** Flags of `weir demo` as commander hands them over. */
export interface DemoFlags {
  port: number;
  objects?: number;
  limit?: number;
  windowSeconds: number;
  rounds: number;
  exitWhenDone: boolean;
  json: boolean;
}

const SOURCE_BUCKET = 'production';
const TARGET_BUCKET = 'replica';

/** What `weir demo --exit-when-done --json` prints. */
export interface DemoResult {
  objectsCopied: number;
  bytesCopied: number;
  failed: number;
  /** Finished windows of all agents together. */
  windows: number;
  /** Most that any agent charged in a window, in percent of that window's credit budget. */
  maxWindowChargePercent: number;
  /** Whether source and target hold the same objects with the same bytes. */
  equal: boolean;
}

interface Demo {
  stage: DemoStage;
  terminal: Terminal;
  progress: Progress;
  flags: DemoFlags;
  objects: number;
  limitTps: number;
}

/** `weir demo`: the whole product on this machine, with real data. */
export async function demoCommand(flags: DemoFlags, terminal: Terminal): Promise<number> {
  const preset = flags.exitWhenDone ? PRESETS.checked : PRESETS.watched;
  const progress = new Progress(terminal, { now: () => performance.now(), silent: flags.json });
  progress.update('Starting two S3 servers and a console', null);
  const interrupted = untilAskedToEnd({ endWithInput: false });
  const adminPassword = randomBytes(9).toString('base64url');
  const stage = await openStage({
    port: flags.exitWhenDone ? 0 : flags.port,
    windowSeconds: flags.windowSeconds,
    adminPassword,
    requestDelayMs: 20,
  });
  const demo: Demo = {
    stage,
    terminal,
    progress,
    flags,
    objects: flags.objects ?? preset.objects,
    limitTps: flags.limit ?? preset.limitTps,
  };
  const ending = new AbortController();
  try {
    const work = flags.exitWhenDone ? runToTheEnd(demo, ending.signal) : showAround(demo, adminPassword, ending.signal);
    return await Promise.race([work, interrupted.then(() => EXIT_CODES.findings)]);
  } finally {
    ending.abort();
    progress.finish('Stopping what the demo started …');
    await stage.stop();
    progress.finish('Everything that the demo started has ended.');
  }
}

/** One job to its end, compared and summed up. */
async function runToTheEnd(demo: Demo, signal: AbortSignal): Promise<number> {
  await prepare(demo);
  const job = await runJob(demo, 1, signal);
  const result = await summarize(demo, job, '');
  if (demo.flags.json) demo.terminal.out(`${JSON.stringify(result)}\n`);
  else demo.terminal.out(`${describeResult(result)}\n`);
  return result.equal && result.failed === 0 ? EXIT_CODES.ok : EXIT_CODES.findings;
}

/** Jobs one after another, so that there is something to watch, until Ctrl-C. */
async function showAround(demo: Demo, adminPassword: string, signal: AbortSignal): Promise<number> {
  await prepare(demo);
  demo.terminal.out(welcome(demo, adminPassword));
  for (let round = 1; round <= demo.flags.rounds; round += 1) await runJob(demo, round, signal);
  demo.progress.finish(`All ${demo.flags.rounds} jobs are done; start your own in Copy Jobs. Ctrl-C ends the demo.`);
  await sleep(2 ** 31 - 1, undefined, { signal });
  return EXIT_CODES.ok;
}

/** Data, buckets, limit, endpoints and agents. */
async function prepare({ stage, progress, objects, limitTps }: Demo): Promise<void> {
  let written = 0;
  let bytes = 0;
  await seedBucket(stage.sourceClient, SOURCE_BUCKET, demoObjects(objects), ({ sizeBytes }) => {
    written += 1;
    bytes += sizeBytes;
    progress.update(`Writing ${formatCount(objects)} objects into the source`, written / objects);
  });
  progress.finish(`The source holds ${formatCount(written)} objects, ${formatBytes(bytes)}.`);
  await createBucket(stage.targetClient, TARGET_BUCKET, callContext());
  const { admin } = stage.fleet;
  const { settings } = await admin.call('governorSettings');
  await admin.call('saveGovernorSettings', { body: { ...settings, globalLimitTps: limitTps } });
  for (const agent of DEMO_AGENTS) {
    progress.update(`Starting ${agent.name}`, null);
    await stage.fleet.addAgent(agent);
  }
  progress.finish(`The console and ${DEMO_AGENTS.length} agents run at ${stage.fleet.url}.`);
}

/** Queues one copy job and follows it. Round 1 copies to the same keys, later ones below a prefix of their own. */
async function runJob({ stage, progress }: Demo, round: number, signal: AbortSignal): Promise<JobView> {
  const { admin } = stage.fleet;
  const { endpoints } = await admin.call('endpoints');
  const endpointId = async (
    name: string,
    { url, region, accessKeyId, secretAccessKey }: typeof stage.source,
  ): Promise<string> => {
    const known = endpoints.find((endpoint) => endpoint.name === name);
    const body = { name, url, region, pathStyle: true, accessKeyId, secretAccessKey };
    return known?.endpointId ?? (await admin.call('createEndpoint', { body })).endpointId;
  };
  const source = { endpointId: await endpointId('Production cluster', stage.source), bucket: SOURCE_BUCKET };
  const target = { endpointId: await endpointId('Replica cluster', stage.target), bucket: TARGET_BUCKET };
  const prefix = targetPrefix(round);
  const name = round === 1 ? 'Replicate production' : `Replicate production, copy ${round}`;
  const job = await admin.call('createJob', { body: { name, source, target: { ...target, prefix } } });
  return followJob(admin, job.jobId, progress, signal);
}

function targetPrefix(round: number): string {
  return round === 1 ? '' : `copy-${round}/`;
}

async function summarize({ stage, progress, objects }: Demo, job: JobView, prefix: string): Promise<DemoResult> {
  let compared = 0;
  const difference = await comparePlaces(
    { client: stage.sourceClient, bucket: SOURCE_BUCKET, prefix: '' },
    { client: stage.targetClient, bucket: TARGET_BUCKET, prefix },
    () => {
      compared += 1;
      progress.update('Comparing source and target byte by byte', compared / objects);
    },
  );
  const { windows } = await stage.fleet.admin.call('windows', { query: { limit: 1_000 } });
  const differing = difference.missing.length + difference.unexpected.length + difference.different.length;
  return {
    objectsCopied: job.counters.objectsCopied,
    bytesCopied: job.counters.bytesCopied,
    failed: job.counters.objectsFailed,
    windows: windows.length,
    maxWindowChargePercent: Math.max(0, ...windows.map(chargePercent)),
    equal: job.state === 'completed' && differing === 0,
  };
}

function chargePercent({ chargedOps, creditBudget }: WindowRecord): number {
  if (creditBudget === 0) return chargedOps === 0 ? 0 : Number.POSITIVE_INFINITY;
  return Math.round((chargedOps / creditBudget) * 10_000) / 100;
}

function describeResult(result: DemoResult): string {
  return [
    `${formatCount(result.objectsCopied)} objects (${formatBytes(result.bytesCopied)}) copied, ${formatCount(result.failed)} failed.`,
    `Source and target are ${result.equal ? 'equal, byte for byte' : 'NOT equal'}.`,
    `${formatCount(result.windows)} windows; at most ${formatPercent(result.maxWindowChargePercent)} of a credit budget was charged.`,
  ].join('\n');
}

function welcome({ stage, limitTps }: Demo, adminPassword: string): string {
  return [
    '',
    `  Weir is running:  ${stage.fleet.url}`,
    `  user              admin`,
    `  password          ${adminPassword}`,
    '',
    `Three agents share ${formatCount(limitTps)} TPS. See the TPS Monitor; change the limit in Setup & Settings.`,
    'Ctrl-C ends everything.',
    '',
    '',
  ].join('\n');
}

import type { Fetch } from '@weir/client';
import { DEFAULT_GOVERNOR_SETTINGS, type JobView } from '@weir/protocol';
import { callContext, listMultipartUploads, S3Client } from '@weir/s3-copy';
import { GrantBook, machineMs, watchGrants } from '@weir/testkit/grants';
import { startFaultProxy, type FaultProxy } from '@weir/testkit/network';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { ClientPool } from '../../src/s3/client-pool.ts';
import { WatchedClient } from '../../src/s3/endpoint-watch.ts';
import { S3Engine } from '../../src/s3/s3-engine.ts';
import { realTiming } from '../../src/timing.ts';
import { fill } from './buckets.ts';
import { startS3Pair, TestFleet, until, type S3Pair } from './fleet.ts';

const WINDOW_SECONDS = 1;
const LIMIT_TPS = 150;
const LOSS = { share: 0.1, seed: 20_261_130 };
const DELAY_MS = 500;

let s3: S3Pair;
let fleet: TestFleet;
let book: GrantBook;

beforeAll(async () => {
  s3 = await startS3Pair();
});

afterAll(() => s3.stop());

beforeEach(async () => {
  book = new GrantBook();
  fleet = await TestFleet.start(s3, { windowSeconds: WINDOW_SECONDS, initialSplit: 12 });
  const settings = { ...DEFAULT_GOVERNOR_SETTINGS, globalLimitTps: LIMIT_TPS, overshootGuard: true };
  await fleet.admin.call('saveGovernorSettings', { body: settings });
});

afterEach(() => fleet.stop());

async function proxyTo(url: string): Promise<FaultProxy> {
  const proxy = await startFaultProxy({ port: Number(new URL(url).port) });
  fleet.atTheEnd(() => proxy.close());
  return proxy;
}

const urlOf = (proxy: FaultProxy): string => `http://127.0.0.1:${proxy.port}`;

/** Its grants are watched on the wire, so that the book knows what the agent knew. */
function watched(name: string): Fetch {
  return watchGrants(plainFetch, name, machineMs, (event) => book.note(event));
}

const plainFetch: Fetch = (url, init) => globalThis.fetch(url, init);

interface QueuedJob {
  jobId: string;
  /** Name, and prefix in the target bucket. */
  name: string;
}

/** Queues a job for each name that copies the fleet's bucket under a prefix of that name. */
async function queueJobs(wanted: readonly { name: string; targetUrl: string }[]): Promise<QueuedJob[]> {
  const endpoint = async (name: string, url: string): Promise<string> => {
    const { region, accessKeyId, secretAccessKey } = s3.target;
    const body = { name, url, region, accessKeyId, secretAccessKey };
    return (await fleet.admin.call('createEndpoint', { body })).endpointId;
  };
  const { bucket } = fleet;
  const source = { endpointId: await endpoint('source', s3.source.url), bucket };
  const jobs: QueuedJob[] = [];
  for (const { name, targetUrl } of wanted) {
    const target = { endpointId: await endpoint(`target of ${name}`, targetUrl), bucket, prefix: `${name}/` };
    const { jobId } = await fleet.admin.call('createJob', { body: { name, source, target } });
    jobs.push({ jobId, name });
  }
  return jobs;
}

async function expectCompleteAndEqual(jobs: readonly QueuedJob[]): Promise<void> {
  for (const { jobId } of jobs) {
    const { counters } = await fleet.jobThat(jobId, ({ state }) => state === 'completed', 90_000);
    expect(counters.objectsFailed).toBe(0);
  }
  const { source, target } = await fleet.sides();
  expect(target.size).toBe(jobs.length * source.size);
  for (const { name } of jobs) {
    expect([...source].filter(([key, hash]) => target.get(`${name}/${key}`) !== hash)).toEqual([]);
  }
}

/** Nothing is left of a job: its agents hold nothing, and no upload stays unfinished. */
async function expectNothingLeftOpen(): Promise<void> {
  const { agents } = await fleet.admin.call('agents');
  expect(agents.map(({ heldRanges }) => heldRanges)).toEqual(agents.map(() => 0));
  const { url, region, accessKeyId, secretAccessKey } = s3.target;
  const client = new S3Client({ url, region, credentials: { accessKeyId, secretAccessKey } });
  expect(await listMultipartUploads(client, { bucket: fleet.bucket, prefix: '' }, callContext())).toEqual([]);
  await client.close();
}

async function untilGranted(name: string, afterMs: number): Promise<void> {
  await until(`credits of ${name}`, 60_000, () => (book.grantedAfterMs(name, afterMs) < Infinity ? true : null));
}

async function untilStatus(names: readonly string[], is: (status: string) => boolean): Promise<void> {
  await until(`the status of ${names.join(', ')}`, 60_000, async () => {
    const { agents } = await fleet.admin.call('agents');
    const statuses = agents.filter(({ name }) => names.includes(name)).map(({ status }) => status);
    return statuses.length === names.length && statuses.every(is) ? true : null;
  });
}

test('agents that a partition, a half-open network, loss or delay parts from their console lose nothing and overspend nothing', async () => {
  const names = ['partitioned', 'half-open', 'lossy', 'delayed'] as const;
  const [partitioned, halfOpen, lossy, delayed] = await Promise.all(names.map(() => proxyTo(fleet.console.url)));
  if (!partitioned || !halfOpen || !lossy || !delayed) throw new Error('a proxy is missing');
  const proxies = [partitioned, halfOpen, lossy, delayed];
  await Promise.all(
    names.map((name, n) => {
      const consoleUrls = [urlOf(proxies[n] ?? partitioned)];
      return fleet.startAgent(name, { consoleUrls, slots: 1 }, { fetch: watched(name) });
    }),
  );
  await fill(s3.source, fleet.bucket, 300);
  // More jobs than agents: whoever is cut off holds one, and there is one for each of the others.
  const jobs = await queueJobs(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ({ name, targetUrl: s3.target.url })));
  await Promise.all(names.map((name) => untilGranted(name, 0)));

  partitioned.setMode('stall');
  halfOpen.setMode('half-open');
  lossy.setLoss(LOSS);
  delayed.setDelay(DELAY_MS);
  const brokenAtMs = machineMs();
  await untilStatus(['partitioned', 'half-open'], (status) => status === 'offline');
  // The others go on meanwhile, with the budget of those that are gone.
  await Promise.all(['lossy', 'delayed'].map((name) => untilGranted(name, brokenAtMs)));
  for (const proxy of [partitioned, halfOpen]) proxy.setMode('pass');

  await expectCompleteAndEqual(jobs);
  await untilStatus(names, (status) => status !== 'offline');
  lossy.setLoss(null);
  delayed.setDelay(0);
  await until('ranges that are given back', 30_000, async () => {
    const { agents } = await fleet.admin.call('agents');
    return agents.every(({ heldRanges }) => heldRanges === 0) ? true : null;
  });
  expect(book.overcharged()).toEqual([]);
  expect(book.mostLive().credits).toBeLessThanOrEqual(LIMIT_TPS * WINDOW_SECONDS);
  await expectNothingLeftOpen();
});

/** As agents make it, but less patient with silence: a test does not wait a minute for an answer. */
function impatientEngine(gate: ConstructorParameters<typeof S3Engine>[0]['gate']): S3Engine {
  const timeouts = { connectMs: 2_000, responseMs: 2_000, stallMs: 2_000 };
  const clients = new ClientPool(realTiming.now, ({ accessKeyId, secretAccessKey, url, region, pathStyle }, watch) => {
    return new WatchedClient(
      { url, region, pathStyle, credentials: { accessKeyId, secretAccessKey }, timeouts },
      watch,
    );
  });
  return new S3Engine({ gate, concurrency: 64, timing: realTiming, clients });
}

test('copies to targets behind a partition, a half-open network, loss or delay end complete and equal', async () => {
  const names = ['refused', 'silent', 'lossy', 'delayed'] as const;
  await fill(s3.source, fleet.bucket, 150);
  const proxies = await Promise.all(names.map(() => proxyTo(s3.target.url)));
  const [refused, silent, lossy, delayed] = proxies;
  if (!refused || !silent || !lossy || !delayed) throw new Error('a proxy is missing');
  const jobs = await queueJobs(names.map((name, n) => ({ name, targetUrl: urlOf(proxies[n] ?? refused) })));
  lossy.setLoss({ ...LOSS, deadShare: 0.05 });
  delayed.setDelay(DELAY_MS);
  for (const name of ['a', 'b']) {
    await fleet.startAgent(name, { slots: 8 }, { fetch: watched(name), makeEngine: impatientEngine });
  }
  // Each as soon as it has begun: by the time that both have, one may be done.
  const breaking = [() => refused.setMode('refuse'), () => silent.setMode('half-open')];
  await Promise.all(
    breaking.map(async (breakIt, n) => {
      const { jobId } = jobs[n] ?? { jobId: '' };
      await fleet.jobThat(jobId, hasBegun);
      breakIt();
      await fleet.jobThat(jobId, isInTrouble);
    }),
  );
  for (const proxy of [refused, silent]) proxy.setMode('pass');

  await expectCompleteAndEqual(jobs);
  expect(book.overcharged()).toEqual([]);
  expect(book.mostLive().credits).toBeLessThanOrEqual(LIMIT_TPS * WINDOW_SECONDS);
  await expectNothingLeftOpen();
});

const hasBegun = ({ counters }: JobView): boolean => counters.objectsCopied > 20;
const isInTrouble = ({ troubles }: JobView): boolean => troubles.length > 0;

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, withSessionCookies, type Client } from '@weir/client';
import { verifyManifest } from '@weir/console/manifest';
import { DEFAULT_GOVERNOR_SETTINGS, type JobView } from '@weir/protocol';
import { callContext, listMultipartUploads, S3Client } from '@weir/s3-copy';
import { freePorts } from '@weir/testkit/network';
import { startCountingProxy, startFauxqsProcess, type CountingProxy, type S3TestServer } from '@weir/testkit/s3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { contentsOf, makeBucket, putInParts, putWhole } from './buckets.ts';
import { until } from './fleet.ts';
import { SourceProcess } from './source-process.ts';

const MIB = 1_024 ** 2;
const KILLS = 20;
const AGENTS = ['one', 'two'];
/** Objects that an agent has under way at once. */
const CONCURRENCY = 4;
const SMALL_OBJECTS = 400;
const LARGE_OBJECTS = 24;
const PART_BYTES = 5 * MIB;
/** Ends the keys of large objects that the source has whole, and the target in parts: no ETag says that they are the same. */
const STORED_WHOLE = '-whole';
const PASSWORD = 'a good password';
const BUCKET = 'proof';

/** Reproducible moments: mulberry32, a public-domain generator. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const seed = Number(process.env['WEIR_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const random = randomFrom(seed);
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

let folder: string;
let source: S3TestServer;
let target: S3TestServer;
let proxy: CountingProxy;
let port: number;
let consoleProcess: SourceProcess;
const agents = new Map<string, SourceProcess>();
let token: string;

function startConsole(): SourceProcess {
  const dataDir = join(folder, 'console');
  const options = { dataDir, port, adminPassword: PASSWORD, logLevel: 'silent', windowSeconds: 1, initialSplit: 6 };
  return new SourceProcess('./console-main.ts', options);
}

function startAgent(name: string): void {
  const options = {
    consoleUrls: [`http://127.0.0.1:${port}`],
    enrolmentToken: token,
    stateDir: join(folder, name),
    name,
  };
  agents.set(name, new SourceProcess('./agent-main.ts', { ...options, slots: 2, concurrency: CONCURRENCY }));
}

/**
 * Small objects with a large one after every few, so that every key range has both. Every other large one is stored in parts
 * itself; no two of them, and no two parts, are alike.
 */
async function fill(): Promise<void> {
  const client = new S3Client({ ...source, credentials: source });
  const every = Math.floor(SMALL_OBJECTS / LARGE_OBJECTS);
  for (let index = 0; index < SMALL_OBJECTS; index++) {
    const number = String(index).padStart(4, '0');
    await putWhole(client, BUCKET, `k/${number}`, Buffer.from(`content of ${number}`));
    const large = index / every;
    if (!Number.isInteger(large) || large >= LARGE_OBJECTS) continue;
    const bytes = Buffer.alloc(11 * MIB, `content of large ${number} `);
    if (large % 2 === 0) await putWhole(client, BUCKET, `k/${number}${STORED_WHOLE}`, bytes);
    else await putInParts(client, { bucket: BUCKET, key: `k/${number}-in-parts`, bytes, partBytes: PART_BYTES });
  }
  await client.close();
}

async function logIn(): Promise<Client> {
  const admin = createClient({ baseUrl: `http://127.0.0.1:${port}`, fetch: withSessionCookies() });
  await until('the console answers', 60_000, async () =>
    admin.call('login', { body: { username: 'admin', password: PASSWORD } }).catch(() => null),
  );
  return admin;
}

async function queueJob(admin: Client): Promise<string> {
  await admin.call('saveGovernorSettings', { body: { ...DEFAULT_GOVERNOR_SETTINGS, enabled: false } });
  const endpoint = async (name: string, { region, accessKeyId, secretAccessKey }: S3TestServer, url: string) => {
    const body = { name, url, region, accessKeyId, secretAccessKey };
    return (await admin.call('createEndpoint', { body })).endpointId;
  };
  const [from, to] = [await endpoint('from', source, source.url), await endpoint('to', target, proxy.url)];
  const job = await admin.call('createJob', {
    body: {
      name: 'proof',
      source: { endpointId: from, bucket: BUCKET },
      target: { endpointId: to, bucket: BUCKET },
      options: { multipartThresholdBytes: PART_BYTES, partBytes: PART_BYTES },
    },
  });
  return job.jobId;
}

// Each try has servers of its own: one that failed leaves a job behind.
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-resume-'));
  [source, target] = await Promise.all([startFauxqsProcess(), startFauxqsProcess({ requestDelayMs: 40 })]);
  proxy = await startCountingProxy(target.url);
  await Promise.all([makeBucket(source, BUCKET), makeBucket(target, BUCKET)]);
  await fill();
  port = (await freePorts(1))[0] ?? 0;
  consoleProcess = startConsole();
});

afterEach(async () => {
  await Promise.all([...agents.values()].map((agent) => agent.kill('SIGKILL')));
  agents.clear();
  await consoleProcess?.kill('SIGKILL');
  await proxy?.stop();
  await Promise.all([source?.stop(), target?.stop()]);
  await rm(folder, { recursive: true, force: true });
});

/**
 * How often each key was written, as the server saw it: what an agent had sent when it was killed is written all the same, and
 * found by the next one.
 */
function writes(): Map<string, number> {
  const written = new Map<string, number>();
  for (const { operation, target: path, answered } of proxy.requests()) {
    if (answered !== 200 || !/^(PutObject|CompleteMultipartUpload)$/.test(operation)) continue;
    const key = (path.split('?')[0] ?? '').slice(`/${BUCKET}/`.length);
    written.set(key, (written.get(key) ?? 0) + 1);
  }
  return written;
}

test(`a job outlives agents and console that are killed at ${KILLS} moments (seed ${seed})`, async () => {
  let admin = await logIn();
  ({ token } = await admin.call('enrolment'));
  for (const name of AGENTS) startAgent(name);
  const jobId = await queueJob(admin);
  await until('the job is under way', 60_000, () => ((proxy.counts()['PutObject'] ?? 0) > 3 ? true : null));
  let agentKills = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    await sleep(300 + random() * 1_500);
    const victim = [...AGENTS, 'console'][Math.floor(random() * 3)] ?? 'console';
    if (victim === 'console') {
      await consoleProcess.kill();
      consoleProcess = startConsole();
    } else {
      agentKills++;
      await agents.get(victim)?.kill();
      startAgent(victim);
    }
  }
  admin = await logIn().catch((error: unknown) => {
    throw new Error(`the console did not come back:\n${consoleProcess.output.slice(-2_000)}`, { cause: error });
  });
  const seenAtKills = writes().size;
  const job = await until('the job ends', 120_000, async (): Promise<JobView | null> => {
    const view = await admin.call('job', { params: { jobId } });
    return ['completed', 'completed-with-failures', 'failed'].includes(view.state) ? view : null;
  });
  const total = SMALL_OBJECTS + LARGE_OBJECTS;
  expect(job).toMatchObject({ state: 'completed', objectsTotal: total, error: null });
  expect(job.counters).toMatchObject({ objectsCopied: total, objectsListed: total, objectsFailed: 0 });
  // The kills hit a job that was under way, not one that had not begun or was over.
  expect(seenAtKills).toBeGreaterThan(10);
  const contents = await contentsOf(source, BUCKET);
  expect(await contentsOf(target, BUCKET)).toEqual(contents);

  // Copied twice is at most what was under way when an agent died: what it had done since its last report is recognised, but for
  // objects whose copy has another ETag than its source. Those are copied once more at most for each death.
  expect([...writes().keys()].sort()).toEqual([...contents.keys()].sort());
  const repeated = [...writes()].filter(([, times]) => times > 1);
  const recognisable = repeated.filter(([key]) => !key.endsWith(STORED_WHOLE));
  const copies = recognisable.reduce((sum, [, times]) => sum + times - 1, 0);
  expect(copies, `written again: ${JSON.stringify(repeated)}`).toBeLessThanOrEqual(agentKills * CONCURRENCY);
  expect(repeated.filter(([, times]) => times > 1 + agentKills)).toEqual([]);

  const client = new S3Client({ ...target, credentials: target });
  expect(await listMultipartUploads(client, { bucket: BUCKET, prefix: '' }, callContext())).toEqual([]);
  await client.close();

  const signed = await admin.call('jobManifest', { params: { jobId } });
  expect(verifyManifest(signed)).toMatchObject({ ok: true });
  const chains = signed.manifest.shards.map(({ position, work, counters, chain }) => {
    return { position, work, listed: counters.objectsListed, entries: chain?.entries ?? 0 };
  });
  expect(chains.filter(({ listed, entries }) => listed !== entries)).toEqual([]);
  expect(chains.reduce((sum, { entries }) => sum + entries, 0)).toBe(total);
});

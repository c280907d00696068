import { setTimeout as wait } from 'node:timers/promises';
import { startPostgres, type PostgresServer } from '@weir/testkit/postgres';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { NONE } from '../support/test-console.ts';
import { codeOf, heartbeat, HttpConsole, type Answer } from '../support/running-console.ts';

let server: PostgresServer;
let console: HttpConsole;
let cookie: string;
let credential: string;
beforeEach(async () => {
  server = await startPostgres();
  console = await HttpConsole.start({
    storageUrl: await server.createDatabase('weir'),
    windowSeconds: 1,
    initialSplit: 1,
  });
  cookie = await console.login();
  ({ credential } = await console.enrol());
});
afterEach(async () => {
  server.thaw();
  await console.stop();
  await server.stop();
});

const readSettings = (): Promise<Answer> => console.call('GET', '/api/v1/settings/governor', { cookie });
const beat = (): Promise<Answer> =>
  console.call('POST', '/api/v1/agent/heartbeat', { bearer: credential, body: heartbeat() });

/** Asks until the console finds its database, and says how long that took, in ms. */
async function recovered(): Promise<number> {
  const from = performance.now();
  while ((await readSettings()).status !== 200) {
    if (performance.now() - from > 20_000) throw new Error('the console does not find its database');
    await wait(50);
  }
  return performance.now() - from;
}

async function timed(call: () => Promise<Answer>): Promise<{ answer: Answer; ms: number }> {
  const from = performance.now();
  const answer = await call();
  return { answer, ms: performance.now() - from };
}

test('while PostgreSQL is down requests fail fast by name, heartbeats are answered, and everything is found again alone', async () => {
  await server.kill();
  for (let n = 0; n < 10; n += 1) {
    const { answer, ms } = await timed(readSettings);
    expect(answer.status).toBe(503);
    expect(codeOf(answer)).toBe('storage-unavailable');
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(ms).toBeLessThan(1_500);
    expect((await beat()).status).toBe(200);
    await wait(100);
  }
  await server.restart();
  expect(await recovered()).toBeLessThan(5_000);
  const job = await console.job(cookie);
  expect((await console.call('GET', `/api/v1/jobs/${job}`, { cookie })).status).toBe(200);
  const said = console.logs.filter((line) => line.includes('the database does not answer') || line.includes('is back'));
  expect(said.length).toBeGreaterThanOrEqual(2);
  // One line when it begins and one when it ends, not one for each tick and each agent that asks for work.
  const loud = console.logs
    .map((line): { level: number; msg: string } => JSON.parse(line))
    .filter(({ level }) => level >= 40);
  expect(new Set(loud.map(({ msg }) => msg))).toEqual(
    new Set(['the database does not answer; it is tried again twice a second']),
  );
  expect(console.logs.join('')).not.toContain(server.password);
  expect(console.answers.join('')).not.toContain(server.password);
});

test('a PostgreSQL that is restarted under load costs no answer but 503, and no change that was confirmed', async () => {
  const confirmed: string[] = [];
  const codes = new Set<string>();
  const work = new AbortController();
  const load = async (name: string): Promise<void> => {
    for (let n = 0; !work.signal.aborted; n += 1) {
      const body = {
        name: `${name}-${n}`,
        url: 'http://127.0.0.1:9001',
        accessKeyId: 'src',
        secretAccessKey: 'src-secret',
      };
      const answer = await console.call('POST', '/api/v1/endpoints', { cookie, body });
      if (answer.status === 200) confirmed.push(body.name);
      else codes.add(codeOf(answer) ?? String(answer.status));
    }
  };
  const loads = ['a', 'b', 'c'].map((name) => load(name));
  await wait(1_000);
  const before = confirmed.length;
  await server.restart();
  await recovered();
  await wait(500);
  work.abort();
  await Promise.all(loads);
  expect(before).toBeGreaterThan(0);
  expect(confirmed.length).toBeGreaterThan(before);
  expect([...codes].filter((code) => code !== 'storage-unavailable')).toEqual([]);
  const { endpoints } = (await console.call('GET', '/api/v1/endpoints', { cookie })).body;
  const names = new Set(endpoints.map((endpoint: { name: string }) => endpoint.name));
  expect(confirmed.filter((name) => !names.has(name))).toEqual([]);
});

test('a PostgreSQL that hangs holds up the first requests for a bounded time, and then none', async () => {
  server.freeze();
  const first = await timed(readSettings);
  expect(codeOf(first.answer)).toBe('storage-unavailable');
  expect(first.ms).toBeLessThan(9_000);
  const times: number[] = [];
  for (let n = 0; n < 10; n += 1) times.push((await timed(readSettings)).ms);
  // One of them may be the one that is let through to look whether the database is back.
  expect(times.toSorted((a, b) => a - b)[7]).toBeLessThan(500);
  expect((await beat()).status).toBe(200);
  server.thaw();
  expect(await recovered()).toBeLessThan(10_000);
});

test('a console whose database is away stops in bounded time, and does not start again without it', async () => {
  await beat();
  await server.kill();
  const from = performance.now();
  await console.running.stop();
  expect(performance.now() - from).toBeLessThan(10_000);
  const url = `postgres://weir:${server.password}@127.0.0.1:${server.port}/weir`;
  await expect(console.restart({ storageUrl: url })).rejects.toMatchObject({ name: 'UnusableDatabase' });
  await server.restart();
  await console.restart({ storageUrl: url });
  expect((await readSettings()).status).toBe(200);
});

test('agents that repeat what was refused finish every job once, through restarts of PostgreSQL and of the console', async () => {
  const jobs: string[] = [];
  for (let n = 0; n < 4; n += 1) jobs.push(await console.job(cookie, `job-${n}`));
  const agents = await Promise.all(['a', 'b', 'c'].map((name) => console.enrol(name)));
  const leases: string[] = [];
  // As agents do: what was not answered well is sent again.
  const insist = async (bearer: string, path: string, body: object): Promise<Answer> => {
    for (;;) {
      const answer = await console.call('POST', path, { bearer, body }).catch(() => undefined);
      if (answer?.status === 200) return answer;
      if (answer !== undefined && answer.status !== 503) throw new Error(answer.text);
      await wait(50);
    }
  };
  const work = async (bearer: string): Promise<void> => {
    for (;;) {
      const { assignment } = (await insist(bearer, '/api/v1/agent/claims', { waitSeconds: 0 })).body;
      if (assignment === null) {
        const { body } = await console.call('GET', '/api/v1/jobs', { cookie }).catch(() => ({ body: undefined }));
        const left = body?.jobs?.filter((job: { state: string }) => job.state !== 'completed');
        if (left?.length === 0) return;
        await wait(50);
        continue;
      }
      leases.push(assignment.leaseId);
      const report = {
        leaseId: assignment.leaseId,
        checkpoint: null,
        atCheckpoint: NONE,
        holdoff: null,
        holdoffCount: 0,
      };
      const path = `/api/v1/agent/shards/${assignment.shardId}/progress`;
      const live = { ...NONE, objectsCopied: 7 };
      await insist(bearer, path, { ...report, live, state: 'running', failures: [], error: null });
      await wait(300);
      await insist(bearer, path, { ...report, live, state: 'completed', failures: [], error: null });
    }
  };
  const works = agents.map((agent) => work(agent.credential));
  await server.restart();
  await console.restart({ storageUrl: server.url.replace(/postgres$/, 'weir'), windowSeconds: 1, initialSplit: 1 });
  await Promise.all(works);
  for (const jobId of jobs) {
    expect((await console.call('GET', `/api/v1/jobs/${jobId}`, { cookie })).body).toMatchObject({
      state: 'completed',
      counters: { objectsCopied: 7 },
    });
  }
  expect(new Set(leases).size).toBe(leases.length);
});

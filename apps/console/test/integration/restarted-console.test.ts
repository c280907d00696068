import { afterEach, beforeEach, expect, test } from 'vitest';
import { sqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';
import { newShard } from '../../src/queue/shard.ts';
import { copyFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, heartbeat, HttpConsole } from '../support/running-console.ts';
import { NONE } from '../support/test-console.ts';

let console: HttpConsole;
beforeEach(async () => {
  console = await HttpConsole.start();
});
afterEach(() => console.stop());

const database = () => join(console.dir, 'data', 'weir.db');

test('sessions, settings, agents, jobs and leases survive a restart, and the agent goes on', async () => {
  const cookie = await console.login();
  const { credential } = await console.enrol();
  await console.call('POST', '/api/v1/agent/heartbeat', { bearer: credential, body: heartbeat() });
  const settings = (await console.call('GET', '/api/v1/settings/governor', { cookie })).body.settings;
  const changed = { ...settings, globalLimitTps: 1_234 };
  await console.call('PUT', '/api/v1/settings/governor', { cookie, body: changed });
  const jobId = await console.job(cookie);
  const { assignment } = (
    await console.call('POST', '/api/v1/agent/claims', { bearer: credential, body: { waitSeconds: 5 } })
  ).body;

  await console.restart();

  expect((await console.call('GET', '/api/v1/settings/governor', { cookie })).body).toMatchObject({
    changedBy: 'admin',
    settings: changed,
  });
  const report = {
    leaseId: assignment.leaseId,
    state: 'completed',
    checkpoint: null,
    atCheckpoint: NONE,
    live: { ...NONE, objectsCopied: 7 },
  };
  const body = { ...report, failures: [], error: null, holdoff: null, holdoffCount: 0 };
  const answer = await console.call('POST', `/api/v1/agent/shards/${assignment.shardId}/progress`, {
    bearer: credential,
    body,
  });
  expect(answer.status).toBe(200);
  expect((await console.call('GET', `/api/v1/jobs/${jobId}`, { cookie })).body).toMatchObject({
    state: 'completed',
    counters: { objectsCopied: 7 },
  });
});

test('the password that was made at the first start is told once and not kept', async () => {
  const { initialAdminPassword } = console.running;
  expect(initialAdminPassword).toBeNull();
  const fresh = await HttpConsole.start({ adminPassword: undefined });
  const made = fresh.running.initialAdminPassword;
  const login = () => fresh.call('POST', '/api/v1/session', { body: { username: 'admin', password: made } });
  expect((await login()).status).toBe(200);
  await fresh.restart({ adminPassword: undefined });
  expect(fresh.running.initialAdminPassword).toBeNull();
  expect((await login()).status).toBe(200);
  expect(fresh.logs.join('')).not.toContain(made);
  await fresh.stop();
});

test('a console without its secrets, or with those of another one, does not start and says why', async () => {
  await console.running.stop();
  await rm(join(console.dir, 'data', 'secrets.json'));
  await expect(console.restart()).rejects.toThrow('is missing beside its database');
  const other = await HttpConsole.start();
  await copyFile(join(other.dir, 'data', 'secrets.json'), join(console.dir, 'data', 'secrets.json'));
  await other.stop();
  await expect(console.restart()).rejects.toThrow('does not belong to this database');
});

test('a damaged secrets file stops the start with a remedy', async () => {
  await console.running.stop();
  await writeFile(join(console.dir, 'data', 'secrets.json'), '{"version": 1}');
  await expect(console.restart()).rejects.toThrow(/is not valid \(encryptionKey, .*restore it from a backup/);
});

test('a second console on the same data is refused while the first goes on', async () => {
  const second = console.running;
  await expect(
    import('../../src/index.ts').then(({ startConsole }) =>
      startConsole(
        { dataDir: join(console.dir, 'data'), port: 0, logLevel: 'silent' },
        { endpointProbe: console.probe },
      ),
    ),
  ).rejects.toThrow('in use by another console');
  expect((await console.call('GET', '/healthz')).status).toBe(200);
  expect(second).toBe(console.running);
});

test('options that cannot be used are listed together', async () => {
  await console.running.stop();
  await expect(console.restart({ port: -1, windowSeconds: 0 })).rejects.toThrow(
    /port \(--port\) must[^]*windowSeconds \(--window-seconds\) must/,
  );
  await expect(console.restart({ webRoot: '/nowhere' })).rejects.toThrow('webRoot has no index.html');
});

test('a port that is taken is an error, and leaves the database free', async () => {
  const port = Number(new URL(console.url).port);
  const other = await HttpConsole.start();
  await expect(other.restart({ port })).rejects.toThrow('EADDRINUSE');
  await other.restart();
  await other.stop();
});

test('10,000 jobs in the history do not slow a restart or the list of jobs down', { timeout: 120_000 }, async () => {
  const cookie = await console.login();
  await console.job(cookie, 'template');
  await console.running.stop();
  const storage = await sqliteStorage(database());
  const [template] = await storage.jobs.list(1);
  await storage.transaction(async (stores) => {
    for (let n = 0; n < 10_000; n += 1) {
      const jobId = `job_${n}`;
      await stores.jobs.insert({ ...template!, jobId, state: 'completed' });
      const shards = Array.from({ length: 8 }, (_, position) => {
        const work = { type: 'range', startAfter: null, endAt: null } as const;
        return { ...newShard(`shd_${n}_${position}`, jobId, position, work), state: 'done' as const };
      });
      await stores.shards.insert(shards);
    }
  });
  await storage.close();
  const startMs = performance.now();
  await console.restart();
  const startedMs = performance.now();
  const { jobs } = (await console.call('GET', '/api/v1/jobs?limit=1000', { cookie })).body;
  const listedMs = performance.now();
  const { credential } = await console.enrol();
  const claimed = await console.call('POST', '/api/v1/agent/claims', { bearer: credential, body: { waitSeconds: 0 } });
  const claimedMs = performance.now();
  globalThis.console.log(
    `restart ${Math.round(startedMs - startMs)} ms, list of 1,000 ${Math.round(listedMs - startedMs)} ms, claim ${Math.round(claimedMs - listedMs)} ms`,
  );
  expect(jobs).toHaveLength(1_000);
  expect(claimed.body.assignment).toMatchObject({ jobName: 'template' });
});

test('without a login nothing about jobs is told', async () => {
  expect(codeOf(await console.call('GET', '/api/v1/jobs'))).toBe('unauthenticated');
});

/**
 * How long a console takes to start again with a long history, on both engines: from the call to the first answers.
 * `node --conditions=@weir/source --import tsx apps/console/test/measure/restart.ts [jobs]` prints one JSON line for each.
 */
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@weir/testkit/postgres';
import { startConsole } from '../../src/index.ts';
import type { Storage } from '../../src/ports/storage.ts';
import { newShard } from '../../src/queue/shard.ts';
import { postgresStorage } from '../../src/storage/postgres/postgres-storage.ts';
import { sqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';
import { FakeProbe } from '../support/fake-probe.ts';
import { failure, storedAgent, storedEntry, storedJob, storedWindow } from '../support/stored-things.ts';

const JOBS = Number(process.argv[2] ?? 10_000);
const SHARDS = 8;
const AGENTS = 500;
const PASSWORD = 'measure-password-1';

/** Jobs that ended, with shards and failures; one that runs; agents, their windows, samples of two hours, an audit trail. */
async function fill(storage: Storage): Promise<void> {
  const nowMs = Date.now();
  for (let from = 0; from < JOBS; from += 500) {
    await storage.transaction(async (stores) => {
      for (let n = from; n < Math.min(JOBS, from + 500); n += 1) {
        const jobId = `job-${n}`;
        await stores.jobs.insert(
          storedJob(jobId, { state: n === JOBS - 1 ? 'running' : 'completed', createdAtMs: nowMs }),
        );
        await stores.shards.insert(
          Array.from({ length: SHARDS }, (_, position) => ({
            ...newShard(`${jobId}-${position}`, jobId, position, {
              type: 'range',
              startAfter: null,
              endAt: null,
            } as const),
            state: n === JOBS - 1 ? ('queued' as const) : ('done' as const),
          })),
        );
        await stores.failures.record(jobId, `${jobId}-0`, [failure('a'), failure('b')]);
        await stores.audit.add(storedEntry({ subject: jobId, atMs: nowMs }));
      }
    });
  }
  const agents = Array.from({ length: AGENTS }, (_, n) => storedAgent(`agt-${n}`, { lastHeartbeatAtMs: nowMs }));
  for (const agent of agents) await storage.agents.insert(agent);
  for (let n = 0; n < 240; n += 1) {
    const atMs = nowMs - n * 30_000;
    const doing = agents.map(({ agentId }) => ({ agentId, actualTps: 10, allocatedTps: 20, mbps: 1 }));
    await storage.transaction(async (stores) => {
      await stores.history.addSample(
        { atMs, limitTps: 10_000, setLimitTps: 10_000, totalTps: 5_000, agents: doing },
        [120_000, 600_000, 3_600_000],
      );
      await stores.history.addWindows(agents.map(({ agentId }) => storedWindow(agentId, n, { endedAtMs: atMs })));
    });
  }
}

async function measure(name: string, dataDir: string, storageUrl: string): Promise<void> {
  const times: { listeningMs: number; listeningCpuMs: number; answeredMs: number }[] = [];
  for (let run = 0; run < 4; run += 1) {
    const from = performance.now();
    const cpu = process.cpuUsage();
    const options = { dataDir, storageUrl, port: 0, adminPassword: PASSWORD, logLevel: 'error' } as const;
    const started = await startConsole(options, { endpointProbe: new FakeProbe() });
    const listeningMs = performance.now() - from;
    // Of all threads; on a machine with other work the better figure.
    const { user, system } = process.cpuUsage(cpu);
    const listeningCpuMs = (user + system) / 1_000;
    const call = async (path: string, init: RequestInit = {}): Promise<Response> => {
      const response = await fetch(started.url + path, init);
      if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return response;
    };
    const body = JSON.stringify({ username: 'admin', password: PASSWORD });
    const login = await call('/api/v1/session', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
    for (const path of ['/api/v1/jobs', '/api/v1/monitor']) await (await call(path, { headers: { cookie } })).text();
    times.push({ listeningMs, listeningCpuMs, answeredMs: performance.now() - from });
    await started.stop();
  }
  // The first start makes the account.
  const restarts = times.slice(1);
  const worst = (of: 'listeningMs' | 'listeningCpuMs' | 'answeredMs'): number =>
    Math.round(Math.max(...restarts.map((time) => time[of])));
  const figures = {
    listeningMs: worst('listeningMs'),
    listeningCpuMs: worst('listeningCpuMs'),
    jobsAndMonitorAnsweredMs: worst('answeredMs'),
  };
  process.stdout.write(`${JSON.stringify({ storage: name, jobs: JOBS, shards: JOBS * SHARDS, ...figures })}\n`);
}

const dir = await mkdtemp(join(tmpdir(), 'weir-restart-'));
const server = await startPostgres();
try {
  const path = join(dir, 'sqlite', 'weir.db');
  const url = await server.createDatabase('weir');
  // The secrets belong to the database: both are made by a first start.
  for (const [name, storageUrl] of [
    ['sqlite', 'sqlite:'],
    ['postgres', url],
  ] as const) {
    const options = {
      dataDir: join(dir, name),
      storageUrl,
      port: 0,
      adminPassword: PASSWORD,
      logLevel: 'error',
    } as const;
    await (await startConsole(options, { endpointProbe: new FakeProbe() })).stop();
  }
  const quiet = { nowMs: () => performance.now(), outageChanged: () => undefined };
  for (const storage of [await sqliteStorage(path), await postgresStorage(url, quiet)]) {
    await fill(storage);
    await storage.close();
  }
  process.stdout.write(`${JSON.stringify({ sqliteBytes: (await stat(path)).size })}\n`);
  await measure('sqlite', join(dir, 'sqlite'), 'sqlite:');
  await measure('postgres', join(dir, 'postgres'), url);
  const size = await server.program('psql', '-d', 'weir', '-tAc', 'select pg_database_size(current_database())');
  process.stdout.write(`${JSON.stringify({ postgresBytes: Number(size) })}\n`);
} finally {
  await server.stop();
  await rm(dir, { recursive: true });
}

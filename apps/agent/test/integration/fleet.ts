import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, withSessionCookies, type Client } from '@weir/client';
import { startConsole, type RunningConsole } from '@weir/console';
import { DEFAULT_GOVERNOR_SETTINGS, type JobInput, type JobView, type WindowRecord } from '@weir/protocol';
import { startFauxqsProcess } from '../../../../packages/testkit/src/s3/fauxqs-process.ts';
import type { S3TestServer } from '@weir/testkit';
import { pino, type Logger } from 'pino';
import { startAgent, type Agent, type AgentDependencies, type AgentOptions } from '../../src/index.ts';
import { fill, makeBucket } from './buckets.ts';
import { endpointProbe } from './endpoint-probe.ts';

const PASSWORD = 'a good password';

/** What was logged, as objects. */
export type LogLine = Record<string, unknown> & { msg: string };

/** A console, two S3 servers and as many agents as a test starts; everything ends with `stop`. */
export class TestFleet {
  readonly source: S3TestServer;
  readonly target: S3TestServer;
  readonly folder: string;
  readonly agents: Agent[] = [];
  readonly log: LogLine[] = [];
  console: RunningConsole;
  admin: Client;
  readonly #consoleOptions: { windowSeconds: number; initialSplit: number };
  readonly #cleanups: (() => Promise<unknown>)[] = [];

  private constructor(parts: {
    source: S3TestServer;
    target: S3TestServer;
    folder: string;
    console: RunningConsole;
    options: { windowSeconds: number; initialSplit: number };
  }) {
    this.source = parts.source;
    this.target = parts.target;
    this.folder = parts.folder;
    this.console = parts.console;
    this.#consoleOptions = parts.options;
    this.admin = createClient({ baseUrl: parts.console.url, fetch: withSessionCookies() });
  }

  static async start(options: { windowSeconds: number; initialSplit: number }): Promise<TestFleet> {
    const folder = await mkdtemp(join(tmpdir(), 'weir-agent-test-'));
    const [source, target] = await Promise.all([startFauxqsProcess(), startFauxqsProcess()]);
    await Promise.all([makeBucket(source, 'from'), makeBucket(target, 'to')]);
    const console = await startConsole(consoleOptions(folder, options, 0), { endpointProbe });
    const fleet = new TestFleet({ source, target, folder, console, options });
    await fleet.logIn();
    return fleet;
  }

  async logIn(): Promise<void> {
    this.admin = createClient({ baseUrl: this.console.url, fetch: withSessionCookies() });
    await this.admin.call('login', { body: { username: 'admin', password: PASSWORD } });
  }

  async setLimit(globalLimitTps: number, enabled: boolean = true): Promise<void> {
    await this.admin.call('saveGovernorSettings', { body: { ...DEFAULT_GOVERNOR_SETTINGS, enabled, globalLimitTps } });
  }

  /** Stops the console and starts it again on the same port with the same data; agents are left alone. */
  async restartConsole(pauseMs: number): Promise<void> {
    const port = Number(new URL(this.console.url).port);
    await this.console.stop();
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    this.console = await startConsole(consoleOptions(this.folder, this.#consoleOptions, port), { endpointProbe });
    await this.logIn();
  }

  agentOptions(name: string, more: Partial<AgentOptions> = {}): AgentOptions {
    return {
      consoleUrl: this.console.url,
      enrolmentToken: this.console.enrolmentToken,
      stateDir: join(this.folder, 'state'),
      name,
      ...more,
    };
  }

  async startAgent(
    name: string,
    more: Partial<AgentOptions> = {},
    dependencies: AgentDependencies = {},
  ): Promise<Agent> {
    const agent = await startAgent(this.agentOptions(name, more), { logger: this.logger(), ...dependencies });
    this.agents.push(agent);
    return agent;
  }

  logger(): Logger {
    return pino({ level: 'debug', base: null }, { write: (line: string) => void this.log.push(JSON.parse(line)) });
  }

  /** Fills the source and queues a job that copies it; `targetUrl` when the target is reached through a proxy. */
  async queueJob(objects: number, more: Partial<JobInput> & { targetUrl?: string } = {}): Promise<string> {
    await fill(this.source, 'from', objects);
    const { targetUrl, ...input } = more;
    const [sourceId, targetId] = await Promise.all([
      this.#endpoint('source', this.source),
      this.#endpoint('target', { ...this.target, url: targetUrl ?? this.target.url }),
    ]);
    const job = await this.admin.call('createJob', {
      body: {
        name: 'copy',
        source: { endpointId: sourceId, bucket: 'from' },
        target: { endpointId: targetId, bucket: 'to' },
        ...input,
      },
    });
    return job.jobId;
  }

  job(jobId: string): Promise<JobView> {
    return this.admin.call('job', { params: { jobId } });
  }

  async windows(): Promise<WindowRecord[]> {
    return (await this.admin.call('windows', { query: { limit: 1_000 } })).windows;
  }

  /** Polls the job until `done` says so. */
  async jobThat(jobId: string, done: (job: JobView) => boolean, timeoutMs: number = 60_000): Promise<JobView> {
    return until(`the job`, timeoutMs, async () => {
      const job = await this.job(jobId);
      return done(job) ? job : null;
    });
  }

  atTheEnd(cleanup: () => Promise<unknown>): void {
    this.#cleanups.push(cleanup);
  }

  async stop(): Promise<void> {
    await Promise.all(this.agents.map((agent) => agent.stop()));
    for (const cleanup of this.#cleanups.toReversed()) await cleanup();
    await this.console.stop();
    await Promise.all([this.source.stop(), this.target.stop()]);
    await rm(this.folder, { recursive: true, force: true });
  }

  async #endpoint(name: string, server: Omit<S3TestServer, 'stop'>): Promise<string> {
    const { url, region, accessKeyId, secretAccessKey } = server;
    const body = { name, url, region, accessKeyId, secretAccessKey };
    return (await this.admin.call('createEndpoint', { body })).endpointId;
  }
}

function consoleOptions(
  folder: string,
  options: { windowSeconds: number; initialSplit: number },
  port: number,
): Parameters<typeof startConsole>[0] {
  return { dataDir: join(folder, 'console'), port, adminPassword: PASSWORD, logLevel: 'silent', ...options };
}

/** Asks every 25 ms until there is an answer. */
export async function until<Result>(
  what: string,
  timeoutMs: number,
  ask: () => Promise<Result | null> | Result | null,
): Promise<Result> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== null) return answer;
    if (performance.now() > deadline) throw new Error(`${what} did not come within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

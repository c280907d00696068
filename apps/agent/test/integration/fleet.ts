import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, withSessionCookies, type Client } from '@weir/client';
import { startConsole, type RunningConsole } from '@weir/console';
import { DEFAULT_GOVERNOR_SETTINGS, type JobInput, type JobView, type WindowRecord } from '@weir/protocol';
import { freePorts } from '@weir/testkit/network';
import { startFauxqsProcess } from '@weir/testkit/s3';
import type { S3TestServer } from '@weir/testkit/s3';
import { pino, type Logger } from 'pino';
import { startAgent, type Agent, type AgentDependencies, type AgentOptions } from '../../src/index.ts';
import { contentsOf, fill, makeBucket } from './buckets.ts';
import { endpointProbe } from './endpoint-probe.ts';

const PASSWORD = 'a good password';

/** What was logged, as objects. */
export type LogLine = Record<string, unknown> & { msg: string };

/** Two S3 servers in processes of their own, for all tests of a file. */
export interface S3Pair {
  source: S3TestServer;
  target: S3TestServer;
  stop(): Promise<void>;
}

export async function startS3Pair(): Promise<S3Pair> {
  const [source, target] = await Promise.all([startFauxqsProcess(), startFauxqsProcess()]);
  return {
    source,
    target,
    stop: async () => {
      await Promise.all([source.stop(), target.stop()]);
    },
  };
}

/** How the console of a fleet differs from the defaults. */
export interface FleetOptions {
  windowSeconds: number;
  initialSplit: number;
  /** Default: SQLite in the fleet's folder. */
  storageUrl?: string;
}

let fleets = 0;

/** A console, buckets of its own and as many agents as a test starts; everything ends with `stop`. */
export class TestFleet {
  readonly s3: S3Pair;
  /** Name of this fleet's bucket on both servers. */
  readonly bucket: string;
  readonly folder: string;
  readonly agents: Agent[] = [];
  readonly log: LogLine[] = [];
  console: RunningConsole;
  admin: Client;
  readonly #consoleOptions: FleetOptions;
  readonly #cleanups: (() => Promise<unknown>)[] = [];

  private constructor(parts: {
    s3: S3Pair;
    bucket: string;
    folder: string;
    console: RunningConsole;
    options: FleetOptions;
  }) {
    this.s3 = parts.s3;
    this.bucket = parts.bucket;
    this.folder = parts.folder;
    this.console = parts.console;
    this.#consoleOptions = parts.options;
    this.admin = createClient({ baseUrl: parts.console.url, fetch: withSessionCookies() });
  }

  static async start(s3: S3Pair, options: FleetOptions): Promise<TestFleet> {
    const folder = await mkdtemp(join(tmpdir(), 'weir-agent-test-'));
    const bucket = `bucket-${++fleets}`;
    await Promise.all([makeBucket(s3.source, bucket), makeBucket(s3.target, bucket)]);
    // A port that is still free when the console is started again.
    const [port = 0] = await freePorts(1);
    const console = await startConsole(consoleOptions(folder, options, port), { endpointProbe });
    const fleet = new TestFleet({ s3, bucket, folder, console, options });
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
      consoleUrls: [this.console.url],
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
    await fill(this.s3.source, this.bucket, objects);
    const { targetUrl, ...input } = more;
    const [sourceId, targetId] = await Promise.all([
      this.#endpoint('source', this.s3.source),
      this.#endpoint('target', { ...this.s3.target, url: targetUrl ?? this.s3.target.url }),
    ]);
    const job = await this.admin.call('createJob', {
      body: {
        name: 'copy',
        source: { endpointId: sourceId, bucket: this.bucket },
        target: { endpointId: targetId, bucket: this.bucket },
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

  /** Contents of both sides. */
  async sides(): Promise<{ source: Map<string, string>; target: Map<string, string> }> {
    const [source, target] = await Promise.all([
      contentsOf(this.s3.source, this.bucket),
      contentsOf(this.s3.target, this.bucket),
    ]);
    return { source, target };
  }

  atTheEnd(cleanup: () => Promise<unknown>): void {
    this.#cleanups.push(cleanup);
  }

  async stop(): Promise<void> {
    await Promise.all(this.agents.map((agent) => agent.stop()));
    for (const cleanup of this.#cleanups.toReversed()) await cleanup();
    await this.console.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  async #endpoint(name: string, server: Omit<S3TestServer, 'stop'>): Promise<string> {
    const { url, region, accessKeyId, secretAccessKey } = server;
    const body = { name, url, region, accessKeyId, secretAccessKey };
    return (await this.admin.call('createEndpoint', { body })).endpointId;
  }
}

function consoleOptions(folder: string, options: FleetOptions, port: number): Parameters<typeof startConsole>[0] {
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

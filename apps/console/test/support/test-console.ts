import { generateKeyPairSync } from 'node:crypto';
import {
  DEFAULT_JOB_OPTIONS,
  PROTOCOL_VERSION,
  type CopyCounters,
  type HeartbeatRequest,
  type JobOptions,
  type ProgressRequest,
  type WindowUsage,
} from '@weir/protocol';
import { claimWork } from '../../src/actions/claim-work.ts';
import type { ConsoleContext } from '../../src/actions/context.ts';
import { createEndpoint } from '../../src/actions/create-endpoint.ts';
import { createJob } from '../../src/actions/create-job.ts';
import { enrolAgent } from '../../src/actions/enrol-agent.ts';
import { recordHeartbeat } from '../../src/actions/record-heartbeat.ts';
import { takeProgress } from '../../src/actions/report-progress.ts';
import { writeBehind } from '../../src/actions/write-behind.ts';
import { parseConsoleOptions, type ConsoleOptionsInput } from '../../src/config/console-options.ts';
import type { LiveAgent } from '../../src/fleet/live-agent.ts';
import { ConsoleMetrics } from '../../src/http/metrics.ts';
import { Ticker } from '../../src/jobs/ticker.ts';
import { startTicks } from '../../src/jobs/ticks.ts';
import { assemble } from '../../src/assembly.ts';
import type { LedgerTier } from '../../src/ports/credit-ledger.ts';
import type { Storage } from '../../src/ports/storage.ts';
import { sqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';
import { FakeClock } from './fake-clock.ts';
import { FakeProbe } from './fake-probe.ts';
import { FakeWebhookSender } from './fake-webhook-sender.ts';

export const silentLogger = {
  level: 'silent',
  trace: () => undefined,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  fatal: () => undefined,
  silent: () => undefined,
  child: () => silentLogger,
};

const SECRETS = {
  version: 1,
  encryptionKey: 'A'.repeat(43),
  sessionKey: 'B'.repeat(43),
  enrolmentToken: 'C'.repeat(43),
  metricsToken: 'D'.repeat(43),
  manifestKey: generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
} as const;

export const NONE: CopyCounters = {
  objectsListed: 0,
  objectsCopied: 0,
  objectsSkipped: 0,
  objectsExcluded: 0,
  objectsFailed: 0,
  bytesCopied: 0,
  parkedMs: 0,
  retries: 0,
};

/** The parts of a report that say nothing in particular. */
export const QUIET_REPORT = {
  trouble: null,
  listed: false,
  canSplit: false,
  traffic: { bytesRead: 0, bytesWritten: 0 },
  heldMs: 0,
  waitedMs: 0,
  manifest: null,
  planned: [],
} satisfies Partial<ProgressRequest>;

/** Counters after copying this many objects of 10 bytes. */
export function copied(objects: number, failed = 0): CopyCounters {
  return {
    ...NONE,
    objectsListed: objects + failed,
    objectsCopied: objects,
    objectsFailed: failed,
    bytesCopied: objects * 10,
  };
}

/** A console without HTTP, on a clock that tests move. */
export class TestConsole {
  readonly clock: FakeClock;
  readonly probe: FakeProbe;
  readonly webhooks: FakeWebhookSender;
  readonly context: ConsoleContext;
  readonly storage: Storage;
  readonly #ticker: Ticker;

  private constructor(
    clock: FakeClock,
    probe: FakeProbe,
    webhooks: FakeWebhookSender,
    storage: Storage,
    context: ConsoleContext,
  ) {
    this.probe = probe;
    this.webhooks = webhooks;
    this.clock = clock;
    this.storage = storage;
    this.context = context;
    this.#ticker = new Ticker(clock, silentLogger);
    startTicks(context, this.#ticker);
  }

  /** `path`: a database that outlives this console; default: in memory. */
  static async start(
    given: {
      clock?: FakeClock;
      path?: string;
      options?: Partial<ConsoleOptionsInput>;
      webhooks?: FakeWebhookSender;
      /** Instead of a database at `path`. */
      storage?: Storage;
      /** Default: the console's own. */
      ledger?: LedgerTier;
    } = {},
  ): Promise<TestConsole> {
    const clock = given.clock ?? new FakeClock();
    const parsed = parseConsoleOptions({ dataDir: 'unused', ...given.options });
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
    const storage = given.storage ?? (await sqliteStorage(given.path ?? ':memory:', 'this-thread'));
    const probe = new FakeProbe();
    const webhooks = given.webhooks ?? new FakeWebhookSender();
    const dependencies = {
      endpointProbe: probe,
      webhookSender: webhooks,
      logger: silentLogger,
      clock,
      ledger: given.ledger ?? null,
      resolver: { addressesOf: async (host: string) => (host === 'metadata.internal' ? ['169.254.169.254'] : []) },
    };
    const context = await assemble(parsed.options, SECRETS, storage, dependencies, new ConsoleMetrics());
    return new TestConsole(clock, probe, webhooks, storage, context);
  }

  async stop(): Promise<void> {
    this.context.desk.close();
    await this.#ticker.stop();
    await this.context.quotaAudits.close();
    await this.context.quotas.close();
    await writeBehind(this.context);
    await this.storage.close();
  }

  async agent(name: string, protocolVersion: number = PROTOCOL_VERSION): Promise<TestAgent> {
    const { agentId } = await enrolAgent(this.context, { name, host: 'host', version: '1', protocolVersion });
    return new TestAgent(this, agentId);
  }

  /** An agent that enrolled with an earlier console on the same database. */
  known(agentId: string): TestAgent {
    return new TestAgent(this, agentId);
  }

  /** A queued job between the two servers of the probe; the endpoints are made when they are not there. */
  async job(name = 'job', options: Partial<JobOptions> = {}): Promise<string> {
    const [source, target] = await Promise.all([
      this.#endpoint('source', 9001, 'src'),
      this.#endpoint('target', 9002, 'dst'),
    ]);
    const input = {
      name,
      source: { endpointId: source, bucket: 'photos', prefix: '' },
      target: { endpointId: target, bucket: 'archive', prefix: '' },
      mode: 'copy-all',
      options: { ...DEFAULT_JOB_OPTIONS, ...options },
    } as const;
    return (await createJob(this.context, input, 'test')).jobId;
  }

  async #endpoint(name: string, port: number, key: string): Promise<string> {
    const known = await this.storage.endpoints.findByName(name);
    if (known !== undefined) return known.endpointId;
    const input = {
      name,
      url: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      pathStyle: true,
      accessKeyId: key,
      secretAccessKey: `${key}-secret`,
    };
    return (await createEndpoint(this.context, input, 'test')).endpointId;
  }
}

/** An agent that calls the actions. */
export class TestAgent {
  readonly agentId: string;
  readonly #console: TestConsole;
  bootId = 'boot-1';

  constructor(console: TestConsole, agentId: string) {
    this.#console = console;
    this.agentId = agentId;
  }

  get live(): LiveAgent {
    const agent = this.#console.context.fleet.get(this.agentId);
    if (agent === undefined) throw new Error(`${this.agentId} is not enrolled`);
    return agent;
  }

  heartbeat(change: Partial<HeartbeatRequest> = {}): ReturnType<typeof recordHeartbeat> {
    const request: HeartbeatRequest = {
      protocolVersion: this.live.protocolVersion,
      version: '1',
      host: 'host',
      bootId: this.bootId,
      limiter: true,
      runningJobs: 0,
      usage: null,
      holdoff: null,
      ...change,
    };
    return recordHeartbeat(this.#console.context, this.live, request);
  }

  claim(waitSeconds = 0, signal: AbortSignal = new AbortController().signal): ReturnType<typeof claimWork> {
    return claimWork(this.#console.context, this.live, waitSeconds, signal);
  }

  /** Claims work that must be there. */
  async take(): Promise<NonNullable<Awaited<ReturnType<typeof claimWork>>['assignment']>> {
    const { assignment } = await this.claim();
    if (assignment === null) throw new Error('there was no work');
    return assignment;
  }

  report(
    assignment: { shardId: string; leaseId: string },
    change: Partial<ProgressRequest> = {},
  ): ReturnType<typeof takeProgress> {
    const report: ProgressRequest = {
      leaseId: assignment.leaseId,
      state: 'running',
      checkpoint: null,
      atCheckpoint: NONE,
      live: NONE,
      failures: [],
      error: null,
      holdoff: null,
      holdoffCount: 0,
      ...QUIET_REPORT,
      ...change,
    };
    return takeProgress(this.#console.context, this.live, assignment.shardId, report);
  }
}

/** A report of a window of 30 s. */
export function usageOf(
  grant: { epoch: string; windowNumber: number; creditBudget: number },
  change: Partial<WindowUsage> = {},
): WindowUsage {
  return {
    epoch: grant.epoch,
    windowNumber: grant.windowNumber,
    windowMs: 30_000,
    creditBudget: grant.creditBudget,
    chargedOps: grant.creditBudget,
    chargedByType: { LIST: 0, GET: 0, PUT: grant.creditBudget, DELETE: 0 },
    exhaustedMs: 0,
    actualTps: grant.creditBudget / 30,
    meanTps: grant.creditBudget / 30,
    peakSecondTps: grant.creditBudget / 30,
    parkedOps: 0,
    bytesRead: 0,
    bytesWritten: 0,
    ...change,
  };
}

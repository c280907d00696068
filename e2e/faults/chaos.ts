import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_GOVERNOR_SETTINGS } from '@weir/protocol';
import { machineMs } from '@weir/testkit/grants';
import { seededRandom } from '@weir/testkit/network';
import { type PostgresServer, startPostgres } from '@weir/testkit/postgres';
import { type RedisServer, startRedis } from '@weir/testkit/redis';
import { startFauxqsProcess, startRgw } from '@weir/testkit/s3';
import { AgentPacks } from './agent-pack.ts';
import { ConsoleGroup } from './console-group.ts';
import { JobStream } from './job-stream.ts';
import { StallWatch } from './stall-watch.ts';
import { keysOf } from './soak-samples.ts';

/** What is done to a group of consoles while its agents copy. */
export interface ChaosPlan {
  kills: number;
  agents: number;
  consoles: number;
  windowSeconds: number;
  limitTps: number;
  /** The same seed: the same moments, as far as a real machine allows. */
  seed: number;
  objectsPerJob: number;
  s3: 'bundled' | 'rgw';
  /** Longest time from one kill to the next, once everything goes on again, in ms. */
  longestPauseMs: number;
  /** How long Redis and PostgreSQL are away together, in s, once for each way to go on without a console; 0: never. */
  outageSeconds: number;
  /** A new leader answers within this after the death of the old one, in ms: 5,000 on a machine that is not overloaded. */
  takeOverMs: number;
  /** Whether Redis and PostgreSQL are restarted, each by itself. */
  restarts: boolean;
}

/** One statement, with what was measured for it. */
export interface Check {
  what: string;
  measured: string;
  bound: string;
  ok: boolean;
}

export interface ChaosReport {
  seconds: number;
  takeOversMs: number[];
  windows: number;
  /** Objects whose copy began. */
  objects: number;
  checks: Check[];
}

/** A heartbeat that failed is repeated after at most this, in ms. */
const BACKOFF_MS = 10_000;
/** Worth a word: a console that stalls for 1.3 s or more can lose its lease without being killed. */
const MARKED_STALL_MS = 500;
const SAFE_TPS = 2;
const DRAIN_MS = 240_000;

/** Runs the plan on real servers, on loopback, and says what held. Ends everything that it started. */
export async function chaos(plan: ChaosPlan, say: (line: string) => void = () => undefined): Promise<ChaosReport> {
  const stage = await Stage.start(plan, say);
  try {
    return await stage.run();
  } finally {
    await stage.stop();
  }
}

class Stage {
  readonly #plan: ChaosPlan;
  readonly #say: (line: string) => void;
  readonly #random: () => number;
  readonly #checks: Check[] = [];
  readonly #takeOversMs: number[] = [];
  /** When consoles died, with how long their agents waited for an answer. */
  readonly #deaths: { atMs: number; answeredMs: number }[] = [];
  readonly #stalls = new StallWatch();
  readonly #cleanups: (() => Promise<unknown>)[] = [];
  readonly #startedMs = machineMs();
  redis!: RedisServer;
  postgres!: PostgresServer;
  group!: ConsoleGroup;
  agents!: AgentPacks;
  jobs!: JobStream;

  private constructor(plan: ChaosPlan, say: (line: string) => void) {
    this.#plan = plan;
    this.#say = say;
    this.#random = seededRandom(plan.seed);
  }

  static async start(plan: ChaosPlan, say: (line: string) => void): Promise<Stage> {
    const stage = new Stage(plan, say);
    try {
      await stage.#build();
      return stage;
    } catch (error) {
      await stage.stop();
      throw error;
    }
  }

  async #build(): Promise<void> {
    const { consoles, windowSeconds, agents, objectsPerJob } = this.#plan;
    const folder = await mkdtemp(join(tmpdir(), 'weir-chaos-'));
    this.#cleanups.push(() => rm(folder, { recursive: true, force: true }));
    const s3 = await (this.#plan.s3 === 'rgw' ? startRgw() : startFauxqsProcess());
    this.#cleanups.push(() => s3.stop());
    this.redis = await startRedis();
    this.#cleanups.push(() => this.redis.stop());
    this.postgres = await startPostgres();
    this.#cleanups.push(() => this.postgres.stop());
    const storageUrl = await this.postgres.createDatabase('weir');
    this.group = await ConsoleGroup.start({ consoles, folder, storageUrl, redis: this.redis, windowSeconds });
    this.#cleanups.push(() => this.group.stop());
    await this.#setConsoleLost('park');
    this.jobs = await JobStream.start({
      s3,
      call: (ask) => this.group.call(ask),
      objectsPerJob,
      backlog: Math.ceil(agents * 1.3) + 1,
      prefixes: Number.POSITIVE_INFINITY,
    });
    this.#cleanups.push(() => this.jobs.close());
    this.agents = await AgentPacks.start(agents, {
      consoleUrls: this.group.urls,
      enrolmentToken: this.group.enrolmentToken,
      stateDir: join(folder, 'agents'),
      concurrency: 16,
    });
    this.#cleanups.push(() => this.agents.stop());
    await this.agents.untilAllAnswered(machineMs(), 30_000);
    this.#say(`${consoles} consoles and ${agents} agents run`);
  }

  async run(): Promise<ChaosReport> {
    const { kills, restarts, outageSeconds } = this.#plan;
    for (let n = 1; n <= kills; n += 1) await this.#killLeader(n);
    if (restarts) await this.#restartServers();
    if (outageSeconds > 0) {
      await this.#outage('park');
      await this.#outage('safe-rate');
    }
    await this.#end();
    const seconds = (machineMs() - this.#startedMs) / 1_000;
    const windows = this.agents.book.windows().length;
    const objects = this.agents.putsBetween(0, machineMs());
    return { seconds, takeOversMs: this.#takeOversMs, windows, objects, checks: this.#checks };
  }

  async stop(): Promise<void> {
    this.#stalls.stop();
    for (const cleanup of this.#cleanups.splice(0).toReversed()) await cleanup();
  }

  async #killLeader(n: number): Promise<void> {
    await sleep(this.#random() * this.#plan.longestPauseMs);
    const leader = await this.#leader();
    this.#stalls.reset();
    const diedAtMs = machineMs();
    await this.group.kill(leader);
    const tookMs = await this.group.untilAnswers(60_000);
    this.#takeOversMs.push(tookMs);
    const answeredMs = await this.agents.untilAllAnswered(diedAtMs, 60_000);
    this.#deaths.push({ atMs: diedAtMs, answeredMs });
    await this.group.restart(leader);
    const stalled =
      this.#stalls.longestMs > MARKED_STALL_MS ? `; this machine stalled for ${ms(this.#stalls.longestMs)}` : '';
    this.#say(
      `kill ${n}: console ${leader}; a new leader answered after ${ms(tookMs)}, all agents after ${ms(answeredMs)}${stalled}`,
    );
  }

  async #leader(): Promise<number> {
    for (let tries = 0; tries < 200; tries += 1) {
      const leader = await this.group.leader();
      if (leader !== null) return leader;
      await sleep(50);
    }
    throw new Error('nobody leads');
  }

  async #restartServers(): Promise<void> {
    const redisAtMs = machineMs();
    await this.redis.restart();
    await this.group.untilAnswers(60_000);
    this.#checkRecovery('Redis restarted, empty', await this.agents.untilAllAnswered(redisAtMs, 60_000));
    const postgresAtMs = machineMs();
    await this.postgres.restart();
    await this.group.insist('settings can be written', 60_000, (admin) => admin.call('governorSettings'));
    this.#checkRecovery('PostgreSQL restarted', await this.agents.untilAllAnswered(postgresAtMs, 60_000));
  }

  /** Redis and PostgreSQL are away together: nobody can lead. */
  async #outage(mode: 'park' | 'safe-rate'): Promise<void> {
    const { outageSeconds, windowSeconds, agents } = this.#plan;
    await this.#setConsoleLost(mode);
    // Every agent has heard of the setting with an answer from after it was saved.
    await this.agents.untilAllAnswered(machineMs(), 30_000);
    await Promise.all([this.redis.kill(), this.postgres.kill()]);
    // What was granted before runs out first, and an agent notices only when its heartbeat fails.
    const graceMs = windowSeconds * 1_050 + BACKOFF_MS / 2;
    await sleep(graceMs);
    const fromMs = machineMs();
    await sleep(Math.max(1_000, outageSeconds * 1_000 - graceMs));
    const untilMs = machineMs();
    const puts = this.agents.putsBetween(fromMs, untilMs);
    const seconds = (untilMs - fromMs) / 1_000;
    await Promise.all([this.redis.restart(), this.postgres.restart()]);
    const backAtMs = machineMs();
    await this.group.untilAnswers(60_000);
    const name = `both away for ${outageSeconds} s (${mode})`;
    this.#checkRecovery(name, await this.agents.untilAllAnswered(backAtMs, 60_000));
    const most = mode === 'park' ? 0 : Math.ceil(SAFE_TPS * agents * (seconds + 2));
    this.#check(`${name}: objects begun meanwhile`, puts, mode === 'park' ? '0' : `1–${most}`, {
      ok: mode === 'park' ? puts === 0 : puts > 0 && puts <= most,
    });
  }

  async #end(): Promise<void> {
    const { limitTps, windowSeconds, kills } = this.#plan;
    const bookedUntilMs = machineMs();
    await this.jobs.drain(DRAIN_MS);
    const { completed = 0, ...others } = this.jobs.tally;
    this.#check('jobs that did not complete', JSON.stringify(others), '{}', { ok: Object.keys(others).length === 0 });
    const differences = await this.jobs.differences();
    this.#check(`objects of ${completed} jobs that differ`, differences.length, '0', { ok: differences.length === 0 });
    const most = this.agents.book.mostLive();
    const budget = limitTps * windowSeconds;
    this.#check('most credits live at once', most.credits, `≤ ${budget}`, { ok: most.credits <= budget });
    const over = this.agents.book.overcharged().length;
    this.#check('windows charged above their budget', over, '0', { ok: over === 0 });
    this.#check('agents that were sent away', this.agents.refused.join('; ') || 0, '0', {
      ok: this.agents.refused.length === 0,
    });
    if (kills > 0) this.#checkKills(bookedUntilMs);
    const { undated } = keysOf(String(await this.redis.command('INFO', 'keyspace')));
    this.#check('keys in Redis without a deadline', undated, '0', { ok: undated === 0 });
  }

  /** Every agent has an answer within this once somebody can lead again, in ms. */
  get #answerMs(): number {
    return this.#plan.takeOverMs + BACKOFF_MS + this.#plan.windowSeconds * 2_000;
  }

  #checkKills(untilMs: number): void {
    const { windowSeconds, takeOverMs } = this.#plan;
    const slowest = Math.max(...this.#takeOversMs);
    this.#check('slowest new leader', ms(slowest), `≤ ${ms(takeOverMs)}`, { ok: slowest <= takeOverMs });
    const bound = this.#answerMs;
    const answered = Math.max(...this.#deaths.map(({ answeredMs }) => answeredMs));
    this.#check('longest wait of an agent for an answer', ms(answered), `≤ ${ms(bound)}`, { ok: answered <= bound });
    const waits = this.#deaths.flatMap(({ atMs }, n) =>
      atMs + bound > untilMs
        ? []
        : this.agents.names.map((agent) => {
            return { agent, kill: n + 1, ms: this.agents.book.grantedAfterMs(agent, atMs) - atMs };
          }),
    );
    const longest = waits.toSorted((a, b) => b.ms - a.ms)[0];
    if (longest === undefined) return;
    const inWindows = `${(longest.ms / 1_000 / windowSeconds).toFixed(1)} windows (${longest.agent}, kill ${longest.kill})`;
    const most = Math.ceil(bound / 1_000 / windowSeconds) + 1;
    this.#check('longest wait of an agent for credits after a kill', inWindows, `≤ ${most} windows`, {
      ok: longest.ms <= most * windowSeconds * 1_000,
    });
  }

  #checkRecovery(name: string, answeredMs: number): void {
    const bound = this.#answerMs;
    this.#say(`${name}: all agents were answered after ${ms(answeredMs)}`);
    this.#check(`${name}: all agents answered`, ms(answeredMs), `≤ ${ms(bound)}`, { ok: answeredMs <= bound });
  }

  #check(what: string, measured: string | number, bound: string, { ok }: { ok: boolean }): void {
    this.#checks.push({ what, measured: String(measured), bound, ok });
  }

  async #setConsoleLost(mode: 'park' | 'safe-rate'): Promise<void> {
    const body = {
      ...DEFAULT_GOVERNOR_SETTINGS,
      globalLimitTps: this.#plan.limitTps,
      allocationPolicy: 'max-min' as const,
      overshootGuard: true,
      consoleLost: { mode, safeTps: SAFE_TPS },
    };
    await this.group.insist('the settings are saved', 30_000, (admin) => admin.call('saveGovernorSettings', { body }));
  }
}

function ms(value: number): string {
  return `${(value / 1_000).toFixed(2)} s`;
}

import { ApiError, NetworkError, type Client } from '@weir/client';
import type { ClaimResponse, Grant, HeartbeatRequest, HeartbeatResponse, ProgressRequest } from '@weir/protocol';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { SimulatedTime } from '../../../../packages/governor-client/test/unit/simulated-time.ts';
import { Agent } from '../../src/agent.ts';
import { parseAgentOptions } from '../../src/config/agent-options.ts';
import { anAssignment, limiter } from './assignments.ts';
import { FakeEngine } from './fake-engine.ts';

interface Claim {
  signal: AbortSignal;
  answer: (response: Partial<ClaimResponse>) => void;
}

/** An agent whose console is the test. */
class Bench {
  readonly time = new SimulatedTime();
  readonly engine = new FakeEngine();
  readonly heartbeats: HeartbeatRequest[] = [];
  readonly claims: Claim[] = [];
  readonly reports: ProgressRequest[] = [];
  readonly agent: Agent;
  /** The console answers nothing. */
  gone = false;
  /** The console refuses the agent. */
  refuses = false;
  nextGrant: Grant | null = null;
  started = false;
  startError: unknown = null;
  stopped = false;

  constructor() {
    const call = (name: string, args: { body: unknown; signal: AbortSignal }): Promise<unknown> => {
      return this.gone ? this.#silence(args.signal) : this.#answer(name, args);
    };
    this.agent = new Agent({
      config: parseAgentOptions({ consoleUrls: ['http://console.test'], stateDir: '/s', name: 'a', slots: 2 }),
      identity: { agentId: 'agt-1', host: 'h', bootId: 'b1' },
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the agent calls four routes, all answered below
      client: { call } as unknown as Client,
      makeEngine: () => this.engine,
      log: pino({ level: 'silent' }),
      timing: { now: this.time.now, startTimer: this.time.startTimer, random: () => 0 },
    });
  }

  async start(): Promise<void> {
    this.agent.start().then(
      () => (this.started = true),
      (error: unknown) => (this.startError = error),
    );
    await this.time.settle();
  }

  /** Starts, and accepts shards of the given jobs. */
  async startWith(...jobIds: string[]): Promise<void> {
    await this.start();
    for (const jobId of jobIds) {
      this.claims.at(-1)?.answer({ assignment: anAssignment({ jobId, shardId: `shard-${jobId}` }) });
      await this.time.settle();
    }
  }

  stop(): void {
    void this.agent.stop().then(() => (this.stopped = true));
  }

  async #answer(name: string, args: { body: unknown; signal: AbortSignal }): Promise<unknown> {
    if (this.refuses) throw new ApiError({ code: 'unauthenticated', status: 401, message: 'this agent was revoked' });
    if (name === 'claim') {
      return new Promise((resolve, reject) => {
        args.signal.addEventListener('abort', () => reject(new Error('poll ended')));
        const answer: Claim['answer'] = (response) => resolve({ assignment: null, grant: null, limiter, ...response });
        this.claims.push({ signal: args.signal, answer });
      });
    }
    if (name === 'progress') {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the agent sends to this route
      this.reports.push(structuredClone(args.body) as ProgressRequest);
      return { desired: 'run' };
    }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the agent sends to this route
    this.heartbeats.push(structuredClone(args.body) as HeartbeatRequest);
    const answer: HeartbeatResponse = { limiter, grant: this.nextGrant, nextHeartbeatSeconds: 30, consoleTimeMs: 0 };
    return answer;
  }

  #silence(signal: AbortSignal): Promise<never> {
    return new Promise((_, reject) => {
      const giveUp = (): void => reject(new NetworkError('timeout', 'silence'));
      if (signal.aborted) giveUp();
      signal.addEventListener('abort', giveUp);
    });
  }
}

describe('an agent', () => {
  test('claims nothing before the console has answered its first heartbeat', async () => {
    const bench = new Bench();
    bench.gone = true;
    await bench.start();
    await bench.time.advance(60_000);
    expect(bench.started).toBe(false);
    expect(bench.claims).toHaveLength(0);
    bench.gone = false;
  });

  test('reports how many jobs it runs, not how many shards', async () => {
    const bench = new Bench();
    await bench.startWith('job-1', 'job-1');
    await bench.time.advance(30_000);
    expect(bench.engine.copies).toHaveLength(2);
    expect(bench.heartbeats.at(-1)).toMatchObject({ runningJobs: 1 });
  });

  test('asks for more work as soon as a slot is free, and not before', async () => {
    const bench = new Bench();
    await bench.startWith('job-1', 'job-2');
    expect(bench.claims).toHaveLength(2);
    bench.engine.last.end({ type: 'completed' });
    await bench.time.settle();
    expect(bench.reports.at(-1)).toMatchObject({ state: 'completed' });
    expect(bench.claims).toHaveLength(3);
  });

  test('in a holdoff pauses every shard, tells the console, takes no work, and goes on afterwards', async () => {
    const bench = new Bench();
    await bench.startWith('job-1');
    const [copy] = bench.engine.copies;
    copy?.listener.onThrottled({ code: 'SlowDown', message: 'PutObject to/k: SlowDown: slow down' });
    await bench.time.settle();
    expect(copy?.paused).toBe(true);
    expect(bench.claims.at(-1)?.signal.aborted).toBe(true);
    const cause = { jobId: 'job-1', reason: 'SlowDown: PutObject to/k: SlowDown: slow down' };
    expect(bench.heartbeats.at(-1)).toMatchObject({ runningJobs: 0, holdoff: cause });
    expect(bench.reports.at(-1)).toMatchObject({ holdoff: cause, holdoffCount: 1 });
    const asked = bench.claims.length;
    await bench.time.advance(29_999);
    expect(bench.claims).toHaveLength(asked);
    await bench.time.advance(1);
    expect(copy?.paused).toBe(false);
    expect(bench.claims).toHaveLength(asked + 1);
    expect(bench.heartbeats.at(-1)).toMatchObject({ runningJobs: 1, holdoff: null });
    expect(bench.reports.at(-1)).toMatchObject({ holdoff: null, holdoffCount: 1 });
  });

  test('that the console refuses gives everything up and says so', async () => {
    const bench = new Bench();
    await bench.startWith('job-1');
    bench.refuses = true;
    await bench.time.advance(30_000);
    const end = await bench.agent.done;
    expect(end.reason).toBe('refused');
    expect(end.reason === 'refused' ? end.error.message : '').toContain('this agent was revoked');
    expect(bench.engine.last.signal.aborted).toBe(true);
    expect(bench.claims.at(-1)?.signal.aborted).toBe(true);
    await bench.agent.stop();
    expect(bench.time.timers).toBe(0);
  });

  test('that is refused at its start says so there', async () => {
    const bench = new Bench();
    bench.refuses = true;
    await bench.start();
    expect(bench.startError).toMatchObject({ reason: 'refused' });
    expect(await bench.agent.done).toMatchObject({ reason: 'refused' });
  });
});

describe('stopping an agent', () => {
  test('gives the shards back, then says goodbye without running jobs', async () => {
    const bench = new Bench();
    await bench.startWith('job-1', 'job-2');
    bench.stop();
    await bench.time.settle();
    expect(bench.engine.copies.every(({ released }) => released)).toBe(true);
    for (const copy of bench.engine.copies) copy.end({ type: 'stopped' });
    await bench.time.settle();
    expect(bench.reports.map(({ state }) => state)).toEqual(['released', 'released']);
    expect(bench.heartbeats.at(-1)).toMatchObject({ runningJobs: 0 });
    expect(bench.stopped).toBe(true);
    expect(bench.engine.closed).toBe(true);
    expect(await bench.agent.done).toEqual({ reason: 'stopped' });
    expect(bench.time.timers).toBe(0);
  });

  test('takes at most 10 s, however much is under way and however silent the console is', async () => {
    const bench = new Bench();
    await bench.startWith('job-1', 'job-2');
    bench.gone = true;
    bench.stop();
    await bench.time.advance(10_000);
    expect(bench.stopped).toBe(true);
    expect(bench.time.timers).toBe(0);
  });

  test('twice is stopping once', async () => {
    const bench = new Bench();
    await bench.startWith();
    bench.stop();
    bench.stop();
    await bench.time.settle();
    expect(bench.heartbeats).toHaveLength(2);
  });
});

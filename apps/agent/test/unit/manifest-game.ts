import assert from 'node:assert/strict';
import { ApiError, NetworkError } from '@weir/client';
import { progressRequest, type Assignment, type ProgressRequest, type ProgressResponse } from '@weir/protocol';
import {
  chainLine,
  EMPTY_MANIFEST,
  manifestLine,
  type Clock,
  type ManifestEntry,
  type ManifestState,
} from '@weir/s3-copy';
import * as fc from 'fast-check';
import { pino } from 'pino';
import {
  leaseShard,
  newShard,
  reportProgress,
  returnShard,
  splitShard,
  triedBefore,
  type Shard,
} from '../../../console/src/queue/shard.ts';
import { SimulatedTime } from '../../../../packages/governor-client/test/unit/simulated-time.ts';
import { Cancellation } from '../../../../packages/s3-copy/src/cancellation.ts';
import { MemoryS3 } from '../../../../packages/s3-copy/test/unit/memory-s3.ts';
import { ClientPool } from '../../src/s3/client-pool.ts';
import { WatchedClient } from '../../src/s3/endpoint-watch.ts';
import { S3Engine } from '../../src/s3/s3-engine.ts';
import { addCounters } from '../../src/shards/copy-engine.ts';
import { ShardRun } from '../../src/shards/shard-run.ts';
import { anAssignment } from './assignments.ts';

const SOURCE_URL = 'http://from.test';
const TARGET_URL = 'http://to.test';

const unreachable = (): NetworkError => new NetworkError('unreachable', 'connect ECONNREFUSED');

function refusal(why: string): ApiError {
  const code = why === 'lease-lost' ? 'lease-lost' : 'validation-failed';
  return new ApiError({ code, status: code === 'lease-lost' ? 409 : 422, message: why });
}

/** What happens to the agents, to what they say, and to the servers that they copy between. */
export type Move =
  | { type: 'time'; ms: number }
  | { type: 'claim'; agent: number }
  | { type: 'kill'; agent: number; reaches: boolean }
  | { type: 'release'; agent: number }
  | { type: 'lapse'; shard: number }
  | { type: 'split'; shard: number }
  | { type: 'lose'; of: 'report' | 'split'; what: 'request' | 'answer' | 'refused'; times: number }
  | { type: 'late'; report: number }
  | { type: 'servers'; awayMs: number };

const agent = fc.nat(1);
/** Anything that may happen. */
export const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 14, arbitrary: fc.record({ type: fc.constant('time' as const), ms: fc.integer({ min: 1, max: 5_000 }) }) },
  { weight: 5, arbitrary: fc.record({ type: fc.constant('claim' as const), agent }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('kill' as const), agent, reaches: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('release' as const), agent }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('lapse' as const), shard: fc.nat(5) }) },
  { weight: 5, arbitrary: fc.record({ type: fc.constant('split' as const), shard: fc.nat(5) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('lose' as const),
      of: fc.constantFrom('report' as const, 'split' as const),
      what: fc.constantFrom('request' as const, 'answer' as const, 'refused' as const),
      times: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('late' as const), report: fc.nat(30) }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('servers' as const), awayMs: fc.integer({ min: 1, max: 20_000 }) }),
  },
);

/** One life of an agent. */
interface Life {
  agentId: string;
  dead: boolean;
  /** What was under way at its death reaches the servers all the same. */
  reaches: boolean;
  engine: S3Engine;
  runs: Map<string, ShardRun>;
}

/** Agents as they are, between servers in memory, and the console's queue of one job without its database. */
export class ManifestGame {
  readonly time = new SimulatedTime();
  readonly source = new MemoryS3();
  readonly target = new MemoryS3();
  shards: Shard[] = [newShard('shard-0', 'job-1', 0, { type: 'range', startAfter: null, endAt: null }, { weight: 1 })];
  #lives: (Life | null)[] = [null, null];
  #born = 0;
  #leases = 0;
  #lost: Record<'report' | 'split', ('request' | 'answer' | 'refused')[]> = { report: [], split: [] };
  #awayUntilMs = 0;
  #turn = 0;
  #broken: unknown = null;
  readonly #asked = new Set<string>();
  readonly #sent: { agentId: string; shardId: string; report: ProgressRequest }[] = [];

  constructor(objects: number) {
    this.target.nowMs = this.source.nowMs + 60_000;
    for (let index = 0; index < objects; index++) {
      const key = `k${String(index).padStart(3, '0')}`;
      if (index % 5 === 3) this.source.putInParts(key, Buffer.alloc(12_000, key), [5_000, 5_000, 2_000]);
      else this.source.put(key, `content of ${key}`);
    }
  }

  async play(step: Move): Promise<void> {
    switch (step.type) {
      case 'time':
        return this.pass(step.ms);
      case 'claim':
        this.#claim(step.agent);
        return;
      case 'kill':
        return this.#kill(step.agent, step.reaches);
      case 'release':
        for (const run of this.#lives[step.agent]?.runs.values() ?? []) run.release();
        return;
      case 'lapse': {
        const shard = this.shards[step.shard % this.shards.length]!;
        if (shard.state === 'leased') this.#keep(returnShard(shard, true));
        return;
      }
      case 'split': {
        const shard = this.shards[step.shard % this.shards.length]!;
        if (shard.leaseId !== null) this.#asked.add(shard.leaseId);
        return;
      }
      case 'lose':
        for (let time = 0; time < step.times; time++) this.#lost[step.of].push(step.what);
        return;
      case 'late': {
        const late = this.#sent[step.report % Math.max(1, this.#sent.length)];
        if (late === undefined) return;
        try {
          this.#take(late.agentId, late.shardId, late.report);
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
        }
        return;
      }
      case 'servers':
        this.#awayUntilMs = this.time.now() + step.awayMs;
    }
  }

  /** Nothing goes wrong any more: the job ends. */
  async finish(): Promise<void> {
    this.#lost = { report: [], split: [] };
    this.#awayUntilMs = 0;
    for (let round = 0; this.shards.some(({ state }) => state !== 'done'); round++) {
      assert.ok(round < 400, `the job does not end: ${JSON.stringify(this.shards)}`);
      for (const shard of this.shards) {
        const holder = this.#lives.find((life) => life?.agentId === shard.agentId);
        if (shard.state === 'leased' && holder?.runs.get(shard.leaseId ?? '') === undefined) {
          this.#keep(returnShard(shard, true));
        }
      }
      this.#claim(round % 2);
      await this.pass(1_000);
    }
    for (const index of this.#lives.keys()) this.#kill(index, false);
  }

  async pass(ms: number): Promise<void> {
    const untilMs = this.time.now() + ms;
    while (this.time.now() < untilMs) {
      await this.time.advance(Math.min(50, untilMs - this.time.now()));
      await this.time.settle();
      if (this.#broken !== null) throw this.#broken;
    }
  }

  /** The chain over a range that one run would have made which nothing disturbed. */
  chainOf(startAfter: string | null, upTo: string | null): ManifestState {
    let state: ManifestState = EMPTY_MANIFEST;
    for (const key of [...this.source.objects.keys()].sort()) {
      if ((startAfter !== null && key <= startAfter) || (upTo !== null && key > upTo)) continue;
      const { bytes, etag, parts } = this.source.objects.get(key)!;
      const verified = parts === undefined ? 'md5' : 'etag';
      const entry: ManifestEntry = {
        key,
        sizeBytes: bytes.length,
        etag: etag.replaceAll('"', ''),
        verified,
        action: 'copied',
      };
      state = chainLine(state, manifestLine(entry));
    }
    return state;
  }

  /** What must hold of a shard after everything that happens to it: its chain, its counters and its checkpoint agree. */
  check({ work, state, base, atCheckpoint, totals, checkpoint, manifest }: Shard): void {
    if (work.type !== 'range') throw new Error('there is no list of keys');
    const done = state === 'done';
    const { objectsListed, objectsCopied, objectsFailed } = done ? totals : addCounters(base, atCheckpoint);
    assert.equal(manifest?.entries ?? 0, objectsListed);
    assert.equal(objectsCopied + objectsFailed, objectsListed);
    // Which of its objects failed, a shard does not say.
    const upTo = done ? work.endAt : checkpoint;
    if (!done && checkpoint === null) assert.equal(objectsListed, 0);
    else if (objectsFailed === 0) assert.deepEqual(manifest, this.chainOf(work.startAfter, upTo));
    else assert.equal(objectsListed, this.chainOf(work.startAfter, upTo).entries);
  }

  #keep(shard: Shard): void {
    try {
      this.check(shard);
    } catch (error) {
      // Thrown here it would only be a report that was not taken.
      this.#broken ??= error;
    }
    this.shards = this.shards.map((other) => (other.shardId === shard.shardId ? shard : other));
  }

  #claim(index: number): void {
    const life = (this.#lives[index] ??= this.#bear());
    const queued = this.shards.find(({ state }) => state === 'queued');
    if (queued === undefined) return;
    const leaseId = `lease-${++this.#leases}`;
    const shard = leaseShard(queued, leaseId, life.agentId);
    this.#keep(shard);
    const { shardId, work, checkpoint, manifest, splitInto } = shard;
    const { source, target, options } = anAssignment();
    const assignment = anAssignment({
      source: { ...source, url: SOURCE_URL },
      target: { ...target, url: TARGET_URL },
      options: { ...options, multipartThresholdBytes: 6_000, partBytes: 5_000 },
      startedAtMs: this.source.nowMs + 1_000,
      heldBefore: triedBefore(queued),
      shardId,
      leaseId,
      work,
      checkpoint,
      manifest,
      splitInto,
    });
    const run = this.#run(life, assignment);
    life.runs.set(leaseId, run);
    void run.ended.then(() => life.runs.delete(leaseId));
  }

  #bear(): Life {
    const agentId = `agent-${++this.#born}`;
    const life = { agentId, dead: false, reaches: false, runs: new Map<string, ShardRun>() };
    const { now, startTimer } = this.time;
    const clients = new ClientPool(now, (location, watch) => {
      const server = location.url === SOURCE_URL ? this.source : this.target;
      const transport = { send: this.#sender(life, server), close: () => server.close() };
      const credentials = { accessKeyId: 'a', secretAccessKey: 's' };
      return new WatchedClient(
        { url: location.url, region: 'r', credentials, transport, clock: this.#clock(), retry: { maxAttempts: 2 } },
        watch,
      );
    });
    const engine = new S3Engine({
      gate: { charge: () => undefined },
      concurrency: 4,
      timing: { now, startTimer },
      clients,
    });
    return Object.assign(life, { engine });
  }

  #clock(): Clock {
    return {
      now: () => this.source.nowMs + this.time.now(),
      random: () => 0.5,
      sleep: (ms, cancellation) =>
        new Promise((resolve, reject) => {
          const forget = cancellation?.onCancel(reject);
          this.time.startTimer(() => {
            forget?.();
            resolve();
          }, ms);
        }),
    };
  }

  /** Requests take their time, fail while the servers do, and get no answer any more once their sender is dead. */
  #sender(life: Pick<Life, 'dead' | 'reaches'>, server: MemoryS3): MemoryS3['send'] {
    return async (request, cancellation) => {
      const never = new Promise<never>(() => undefined);
      if (life.dead) return never;
      // Any spread will do that lets objects finish out of order.
      this.#turn = (this.#turn * 31 + 7) % 1_009;
      const tookMs = 100 + this.#turn;
      await new Promise<void>((resolve) => void this.time.startTimer(resolve, tookMs));
      if (life.dead) {
        if (life.reaches) await server.send(request, new Cancellation());
        return never;
      }
      if (this.time.now() < this.#awayUntilMs) {
        throw Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' });
      }
      const answer = await server.send(request, cancellation);
      return life.dead ? never : answer;
    };
  }

  #run(life: Life, assignment: Assignment): ShardRun {
    const { now, startTimer } = this.time;
    const never = new Promise<never>(() => undefined);
    const exchange = async <T>(what: 'report' | 'split', take: () => T): Promise<T> => {
      if (life.dead) return never;
      await this.time.settle();
      const lost = this.#lost[what].shift();
      if (lost === 'refused' && what === 'split') throw refusal('validation-failed');
      if (lost === 'request' || lost === 'refused') throw unreachable();
      const answer = take();
      await this.time.settle();
      if (life.dead) return never;
      if (lost === 'answer') throw unreachable();
      return answer;
    };
    return new ShardRun({
      assignment,
      engine: life.engine,
      console: {
        report: (shardId, report) => {
          const parsed = progressRequest.parse(structuredClone(report));
          return exchange('report', () => {
            this.#sent.push({ agentId: life.agentId, shardId, report: parsed });
            return this.#take(life.agentId, shardId, parsed);
          });
        },
        split: (shardId, leaseId, boundaries) =>
          exchange('split', () => this.#split(life.agentId, shardId, leaseId, boundaries)),
      },
      holdoff: () => null,
      onThrottled: () => false,
      log: pino({ level: 'silent' }),
      timing: { now, startTimer, random: () => 0.5 },
      reportIntervalMs: 2_000,
      drainMs: 4_000,
      patienceMs: 10_000_000,
    });
  }

  #take(agentId: string, shardId: string, report: ProgressRequest): ProgressResponse {
    const shard = this.shards.find((other) => other.shardId === shardId)!;
    const reported = reportProgress(shard, agentId, report);
    if ('refused' in reported) throw refusal(reported.refused);
    if (!reported.repeated) this.#keep(reported.shard);
    return report.canSplit && this.#asked.delete(report.leaseId)
      ? { desired: 'split', splitInto: 3 }
      : { desired: 'run' };
  }

  #split(agentId: string, shardId: string, leaseId: string, boundaries: string[]): Shard['work'] {
    const shard = this.shards.find((other) => other.shardId === shardId)!;
    const split = splitShard(shard, agentId, leaseId, boundaries);
    if ('refused' in split) throw refusal(split.refused);
    this.#keep(split.kept);
    for (const { work, weight } of split.added) {
      const position = this.shards.length;
      this.shards.push(newShard(`shard-${position}`, 'job-1', position, work, { weight }));
    }
    return split.kept.work;
  }

  /** Its requests are not answered any more; those under way may reach the servers. */
  #kill(index: number, reaches: boolean): void {
    const life = this.#lives[index];
    if (life === null || life === undefined) return;
    life.dead = true;
    life.reaches = reaches;
    this.#lives[index] = null;
    for (const run of life.runs.values()) run.giveUp();
  }
}

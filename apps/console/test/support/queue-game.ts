import assert from 'node:assert/strict';
import type { JobView } from '@weir/protocol';
import * as fc from 'fast-check';
import { actOnJob } from '../../src/actions/act-on-job.ts';
import { isConsoleError } from '../../src/actions/console-error.ts';
import { readJob } from '../../src/actions/read-job.ts';
import { revokeAgent } from '../../src/actions/revoke-agent.ts';
import { splitWork } from '../../src/actions/split-shard.ts';
import { compareKeys } from '../../src/queue/byte-order.ts';
import { copied, type TestAgent, type TestConsole } from './test-console.ts';

/** Keys of the job's source, by one letter each. */
const KEYS = Array.from('abcdefghijklmnopqrstuvwxyz');

interface Held {
  shardId: string;
  leaseId: string;
  agent: number;
  /** Held to clean up after somebody, not to copy. */
  cleanUp: boolean;
  from: string | null;
  to: string | null;
  /** Checkpoint with which the lease began, and the one reported last. */
  begun: string | null;
  checkpoint: string | null;
}

/** Keys behind one and up to another; null: from the start, to the end. */
function between(after: string | null, upTo: string | null): string[] {
  return KEYS.filter(
    (key) => (after === null || compareKeys(key, after) > 0) && (upTo === null || compareKeys(key, upTo) <= 0),
  );
}

export type Step =
  | { type: 'claim'; agent: number }
  | { type: 'split'; lease: number; at: number[] }
  | { type: 'report'; lease: number; by: number; state: 'running' | 'completed' | 'released' | 'failed' }
  | { type: 'silence'; windows: number }
  | { type: 'heartbeat'; agent: number; reboot: boolean }
  | { type: 'revoke'; agent: number }
  | { type: 'act'; action: 'pause' | 'resume' | 'cancel' | 'retry' };

const agent = fc.nat(2);
const lease = fc.nat(5);
/** Anything that agents, operators and time can do. */
export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant('claim' as const), agent }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('split' as const),
      lease,
      at: fc.uniqueArray(fc.nat(25), { maxLength: 4 }).map((at) => at.sort((a, b) => a - b)),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('report' as const),
      lease,
      by: fc.nat(6),
      state: fc.constantFrom(
        'running' as const,
        'running' as const,
        'completed' as const,
        'released' as const,
        'failed' as const,
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('silence' as const), windows: fc.integer({ min: 1, max: 4 }) }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('heartbeat' as const), agent, reboot: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('revoke' as const), agent: fc.constant(2) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('act' as const),
      action: fc.constantFrom('pause' as const, 'resume' as const, 'cancel' as const, 'retry' as const),
    }),
  },
);

/** Runs one step; refusals with a code are part of the game, everything else is a bug. */
async function refusable(run: () => Promise<unknown>): Promise<boolean> {
  try {
    await run();
    return true;
  } catch (error) {
    if (!isConsoleError(error)) throw error;
    return false;
  }
}

/** Agents, operators and time against the queue of one job, and what must hold whatever they do. */
export class QueueGame {
  readonly console: TestConsole;
  readonly agents: TestAgent[];
  readonly jobId: string;
  /** Keys that a heard report covers. */
  readonly done = new Set<string>();
  /** What agents believe to hold, lost leases too. */
  readonly held: Held[] = [];
  readonly #busy = new Set<Held>();

  constructor(console: TestConsole, agents: TestAgent[], jobId: string) {
    this.console = console;
    this.agents = agents;
    this.jobId = jobId;
  }

  async play(move: Step): Promise<void> {
    const { context } = this.console;
    switch (move.type) {
      case 'claim':
        return this.#claim(move.agent);
      case 'split':
        return this.#alone(move.lease, (held) => this.#split(held, move.at));
      case 'report':
        return this.#alone(move.lease, (held) => this.report(held, move.by, move.state));
      case 'silence':
        return this.console.clock.advance(move.windows * 30_000);
      case 'heartbeat': {
        const caller = this.agents[move.agent]!;
        if (move.reboot) caller.bootId = `${caller.bootId}x`;
        if (!caller.live.revoked) await refusable(() => caller.heartbeat());
        await this.console.context.pending.done();
        return;
      }
      case 'revoke':
        await revokeAgent(context, this.agents[move.agent]!.agentId, 'test');
        return;
      case 'act':
        await refusable(() => actOnJob(context, this.jobId, move.action, 'test'));
    }
  }

  async #claim(index: number): Promise<void> {
    const caller = this.agents[index]!;
    if (caller.live.revoked) return;
    const { assignment } = await caller.claim();
    if (assignment === null) return;
    if (assignment.work.type !== 'range') throw new Error('nothing failed, so there is no list of keys');
    const { startAfter, endAt } = assignment.work;
    this.held.push({
      shardId: assignment.shardId,
      leaseId: assignment.leaseId,
      agent: index,
      cleanUp: assignment.kind === 'clean-up',
      from: startAfter,
      to: endAt,
      begun: assignment.checkpoint ?? startAfter,
      checkpoint: assignment.checkpoint,
    });
  }

  /** A holder does one thing at a time. */
  async #alone(index: number, run: (held: Held) => Promise<unknown>): Promise<void> {
    const held = this.held.at(-1 - index);
    if (held === undefined || this.#busy.has(held)) return;
    this.#busy.add(held);
    try {
      await run(held);
    } finally {
      this.#busy.delete(held);
    }
  }

  async #split(held: Held, at: number[]): Promise<void> {
    const boundaries = at.map((key) => KEYS[key]!);
    const request = { leaseId: held.leaseId, boundaries };
    const caller = this.agents[held.agent]!;
    const done = await refusable(() => splitWork(this.console.context, caller.agentId, held.shardId, request));
    if (done && boundaries[0] !== undefined) held.to = boundaries[0];
  }

  /** The agent has done `by` more keys in order, and two more out of order, which only the live counters know. */
  async report(held: Held, by: number, state: 'running' | 'completed' | 'released' | 'failed'): Promise<boolean> {
    if (held.cleanUp) {
      const caller = this.agents[held.agent]!;
      return refusable(() => caller.report(held, { state }));
    }
    const left = between(held.checkpoint ?? held.from, held.to);
    const inOrder = state === 'completed' ? left : left.slice(0, by);
    const checkpoint = inOrder.at(-1) ?? held.checkpoint;
    const before = checkpoint === null ? 0 : between(held.begun, checkpoint).length;
    const ahead = Math.min(2, left.length - inOrder.length);
    const entries = checkpoint === null ? 0 : between(held.from, checkpoint).length;
    const manifest = { digest: String(entries).padStart(64, '0'), entries };
    const caller = this.agents[held.agent]!;
    const heard = await refusable(() =>
      caller.report(held, { state, checkpoint, atCheckpoint: copied(before), live: copied(before + ahead), manifest }),
    );
    if (!heard) return false;
    held.checkpoint = checkpoint;
    for (const key of inOrder) this.done.add(key);
    return true;
  }

  /** Lets one agent do all that is left, after agents that were lost have lapsed. */
  async finish(): Promise<JobView> {
    const { context } = this.console;
    await this.console.clock.advance(200_000);
    await refusable(() => actOnJob(context, this.jobId, 'resume', 'test'));
    await refusable(() => actOnJob(context, this.jobId, 'retry', 'test'));
    for (;;) {
      const before = this.held.length;
      await this.#claim(0);
      const held = this.held.at(-1);
      if (this.held.length === before || held === undefined) break;
      assert.ok(await this.report(held, 0, 'completed'));
    }
    await this.check();
    const job = await readJob(context, this.jobId);
    assert.equal(job.progressPercent, 100);
    assert.deepEqual([...this.done].sort(), KEYS);
    assert.equal(job.cleaningUp, false);
    // Nothing is counted twice either, although what came after a checkpoint was done again.
    assert.equal(job.counters.objectsCopied, KEYS.length);
    return job;
  }

  /** What must hold after every step. */
  async check(): Promise<void> {
    const outlines = await this.console.storage.shards.outlinesOf([this.jobId]);
    const shards = await Promise.all(outlines.map(({ shardId }) => this.console.storage.shards.get(shardId)));
    const ranges = shards.map((shard) => {
      if (shard?.work.type !== 'range') throw new Error('nothing failed, so there is no list of keys');
      return { ...shard.work, shard };
    });
    // The ranges lie end to end: each key is in exactly one of them.
    const byStart = ranges.sort((a, b) =>
      a.startAfter === null ? -1 : b.startAfter === null ? 1 : compareKeys(a.startAfter, b.startAfter),
    );
    assert.equal(byStart[0]?.startAfter, null);
    assert.equal(byStart.at(-1)?.endAt, null);
    for (const [index, range] of byStart.entries()) {
      if (index > 0) assert.equal(range.startAfter, byStart[index - 1]?.endAt);
    }
    // The chain names what is counted at the checkpoint, and after the end what is counted in all.
    for (const { shard } of ranges) {
      const atCheckpoint = shard.base.objectsListed + shard.atCheckpoint.objectsListed;
      assert.equal(shard.manifest?.entries ?? 0, shard.state === 'done' ? shard.totals.objectsListed : atCheckpoint);
    }
    // The watch and the database agree about who holds what, and a lease belongs to one shard and one agent.
    const leased = ranges.filter(({ shard }) => shard.state === 'leased');
    const watched = this.console.context.leases.held();
    assert.deepEqual(new Set(leased.map(({ shard }) => shard.leaseId)), new Set(watched.map(({ leaseId }) => leaseId)));
    assert.equal(watched.length, leased.length);
    assert.equal(new Set(leased.map(({ shard }) => shard.leaseId)).size, leased.length);
    for (const { shard } of leased) {
      const holders = this.held.filter(({ leaseId }) => leaseId === shard.leaseId);
      assert.equal(holders.length, 1);
      assert.equal(this.agents[holders[0]!.agent]!.agentId, shard.agentId);
      assert.equal(this.agents[holders[0]!.agent]!.live.revoked, false);
    }
  }

  /** Two agents that report on one shard are never both heard. */
  async checkFencing(): Promise<void> {
    for (const shardId of new Set(this.held.map((held) => held.shardId))) {
      let heard = 0;
      for (const held of this.held.filter((other) => other.shardId === shardId)) {
        const caller = this.agents[held.agent]!;
        if (caller.live.revoked) continue;
        if (await this.report(held, 0, 'running')) heard += 1;
      }
      assert.ok(heard <= 1);
    }
  }
}

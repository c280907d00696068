/*
 * An agent from its start to its end:
 *
 *   starting (first heartbeat) ──answered──▶ working ──stop()──▶ draining ──▶ stopped
 *                                               └──refused by the console──▶ refused (gives everything up)
 *
 * working: the claim loop fills the slots with shard runs. A holdoff pauses all of them and brings no new work.
 * draining: no new work; shards are given back at their checkpoints, then a last heartbeat frees the share.
 */
import type { Client } from '@weir/client';
import { AgentGovernor, heartbeatsOver, type GovernorEvent } from '@weir/governor-client';
import { MAX_CLAIM_WAIT_SECONDS, progressSpoken, type Assignment, type ClaimResponse } from '@weir/protocol';
import type { OperationGate } from '@weir/s3-copy';
import type { Logger } from 'pino';
import { ClaimLoop } from './claim-loop.ts';
import type { AgentConfig } from './config/agent-options.ts';
import { isRevocation } from './credential/revocation.ts';
import { logGovernorEvent } from './governor-log.ts';
import type { CopyEngine } from './shards/copy-engine.ts';
import { ShardRun } from './shards/shard-run.ts';
import { pause, type Timing } from './timing.ts';

/** How an agent ended. */
export type AgentEnd =
  | { reason: 'stopped' }
  /** The console does not accept this agent any more; `error` says why, and `revoked` whether somebody took its credential away. */
  | { reason: 'refused'; error: Error; revoked: boolean };

export interface AgentParts {
  config: AgentConfig;
  identity: { agentId: string; host: string; bootId: string };
  client: Client;
  makeEngine: (gate: OperationGate) => CopyEngine;
  log: Logger;
  timing: Timing;
}

const REPORT_INTERVAL_MS = 2_000;
/** Objects under way may finish for so long when shards are given back, in ms. */
const DRAIN_MS = 4_000;
/** When a drain gives up on reports that the console does not answer, in ms; a goodbye of 2 s still follows. */
const DRAIN_LIMIT_MS = 7_000;
/** Trouble without progress that one shard bears before its job fails, in ms. */
const PATIENCE_MS = 15 * 60_000;
/** A long poll is given this much longer than it should take, in ms. */
const POLL_MARGIN_MS = 10_000;

export class Agent {
  readonly #parts: AgentParts;
  readonly #governor: AgentGovernor;
  readonly #engine: CopyEngine;
  readonly #claims: ClaimLoop;
  readonly #runs = new Set<ShardRun>();
  /** How the agent ended; never rejects. */
  readonly done: Promise<AgentEnd>;
  #end: (end: AgentEnd) => void = () => undefined;
  #stopping: Promise<void> | null = null;

  constructor(parts: AgentParts) {
    const { client, config, identity, log, timing } = parts;
    this.#parts = parts;
    this.done = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#governor = new AgentGovernor({
      transport: heartbeatsOver(client),
      identity: { version: config.version, host: identity.host, bootId: identity.bootId },
      runningJobs: () => new Set([...this.#runs].map(({ jobId }) => jobId)).size,
      takeTransferredBytes: () => this.#engine.takeTransferredBytes(),
      onEvent: (event) => this.#onGovernor(event),
      holdoffMinMs: config.holdoffMinSeconds * 1_000,
      holdoffMaxMs: config.holdoffMaxSeconds * 1_000,
      ...timing,
    });
    this.#engine = parts.makeEngine(this.#governor);
    this.#claims = new ClaimLoop({
      claim: (waitSeconds, signal) => {
        const timeoutMs = MAX_CLAIM_WAIT_SECONDS * 1_000 + POLL_MARGIN_MS;
        return client.call('claim', { body: { waitSeconds }, signal, timeoutMs });
      },
      mayAccept: () => this.#runs.size < config.slots && this.#governor.holdoff === null,
      accept: (response) => this.#accept(response),
      onTrouble: (error, retryInMs) => {
        log.debug({ error: messageOf(error), retryInMs: Math.round(retryInMs) }, 'claim not answered');
      },
      timing,
    });
  }

  get agentId(): string {
    return this.#parts.identity.agentId;
  }

  get name(): string {
    return this.#parts.config.name;
  }

  /** Resolves once the console has answered the first heartbeat. @throws GovernorStoppedError when it refuses */
  async start(): Promise<void> {
    this.#governor.start();
    // Work that is claimed before the console knows this process would be taken for work of the previous one.
    await this.#governor.ready;
    this.#claims.run().catch((error: unknown) => this.#refused(error));
  }

  /** Drains: at most 10 s. Again: the same end. */
  stop(): Promise<void> {
    this.#stopping ??= this.#drain();
    return this.#stopping;
  }

  async #drain(): Promise<void> {
    const { log, timing } = this.#parts;
    log.info({ shards: this.#runs.size }, 'stopping: shards go back to the queue');
    this.#claims.stop();
    const runs = [...this.#runs];
    for (const run of runs) run.release();
    const drained = new AbortController();
    void Promise.all(runs.map(({ ended }) => ended)).then(() => drained.abort());
    await pause(timing, DRAIN_LIMIT_MS, drained.signal);
    for (const run of this.#runs) run.giveUp();
    await this.#governor.stop();
    await this.#engine.close();
    log.info('stopped');
    this.#end({ reason: 'stopped' });
  }

  #accept({ assignment, grant, limiter }: ClaimResponse): void {
    if (assignment === null) return;
    const { log } = this.#parts;
    log.info({ job: assignment.jobId, shard: assignment.shardId, checkpoint: assignment.checkpoint }, 'shard accepted');
    const run = this.#startRun(assignment);
    this.#runs.add(run);
    this.#governor.acceptGrant(grant, limiter);
    void run.ended.finally(() => {
      this.#runs.delete(run);
      this.#claims.wake();
    });
  }

  #startRun(assignment: Assignment): ShardRun {
    const { client, log, timing } = this.#parts;
    return new ShardRun({
      assignment,
      engine: this.#engine,
      console: {
        split: async (shardId, leaseId, boundaries, signal) => {
          const answer = await client.call('split', { params: { shardId }, body: { leaseId, boundaries }, signal });
          return answer.work;
        },
        report: (shardId, report, signal) => {
          const body = progressSpoken(report, this.#governor.consoleProtocolVersion);
          return client.call('progress', { params: { shardId }, body, signal });
        },
      },
      holdoff: () => this.#governor.holdoff,
      onThrottled: ({ code, message }) => {
        return this.#governor.startHoldoff({ reason: `${code}: ${message}`, jobId: assignment.jobId });
      },
      log,
      timing,
      reportIntervalMs: REPORT_INTERVAL_MS,
      drainMs: DRAIN_MS,
      patienceMs: PATIENCE_MS,
    });
  }

  #onGovernor(event: GovernorEvent): void {
    logGovernorEvent(this.#parts.log, event);
    if (event.type === 'holdoff-started') {
      for (const run of this.#runs) run.holdoffBegan();
      this.#claims.interrupt();
    } else if (event.type === 'holdoff-ended') {
      for (const run of this.#runs) run.holdoffEnded();
      this.#claims.wake();
    } else if (event.type === 'fatal') this.#refused(event.error);
  }

  /** The console wants nothing to do with this agent: its leases are somebody else's, or will be. */
  #refused(error: unknown): void {
    this.#claims.stop();
    for (const run of this.#runs) run.giveUp();
    void this.#governor.stop();
    const { log } = this.#parts;
    log.error({ error: messageOf(error) }, 'the console refuses this agent');
    const known = error instanceof Error ? error : new Error(String(error));
    this.#end({ reason: 'refused', error: known, revoked: isRevocation(error) });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/*
 * One lease, from the claim to its last report:
 *
 *   planning ──boundaries──▶ splitting ──first range──▶ copying ──all done──▶ completed
 *   (only when the console asks for it)                   │  ▲
 *                       network or server trouble, a bug  ▼  │ after a while, from the checkpoint
 *                                                       waiting
 *
 *   any ──release, or the agent drains──▶ finishes what is under way, at most `drainMs` long ──▶ released
 *   any ──abandon──▶ gives up what is under way ──▶ released
 *   any ──lease lost──▶ gives up what is under way, says nothing more
 *   planning, copying ──no retry can help, or waited too long without progress──▶ failed (the whole job)
 */
import type { Assignment, CopyCounters, Holdoff, ProgressRequest, ProgressResponse, ShardWork } from '@weir/protocol';
import type { Logger } from 'pino';
import { jitteredDelayMs, untilAnswered } from '../console/unanswered.ts';
import { pause, type Timing } from '../timing.ts';
import {
  addCounters,
  NO_COUNTERS,
  type CopyEnd,
  type CopyEngine,
  type CopyListener,
  type CopyProgress,
  type CopyRun,
  type CopyTrouble,
  type ShardTask,
} from './copy-engine.ts';
import { ShardReporter, type LeaseEnd } from './shard-reporter.ts';

export interface ShardRunOptions {
  assignment: Assignment;
  engine: CopyEngine;
  console: {
    split(shardId: string, leaseId: string, boundaries: string[], signal: AbortSignal): Promise<ShardWork>;
    report(shardId: string, report: ProgressRequest, signal: AbortSignal): Promise<ProgressResponse>;
  };
  holdoff: () => Holdoff | null;
  /** The server asked to slow down; true when a holdoff began because of it. */
  onThrottled: (trouble: CopyTrouble) => boolean;
  log: Logger;
  timing: Timing;
  reportIntervalMs: number;
  /** How long objects under way may take to finish when the shard is given back, in ms. */
  drainMs: number;
  /** How long trouble without any progress is borne before the job is failed, in ms. */
  patienceMs: number;
}

type Outcome = { state: 'completed' | 'released' | 'failed'; error: CopyTrouble | null };

/** Longest time between two attempts of a shard, in ms. */
const MAX_PAUSE_MS = 60_000;

export class ShardRun {
  readonly #options: ShardRunOptions;
  readonly #log: Logger;
  readonly #reporter: ShardReporter;
  /** Ends the copying at once. */
  readonly #abort = new AbortController();
  /** Gives up everything, the last report included. */
  readonly #giveUp = new AbortController();
  /** Ends waiting and begins nothing new. */
  readonly #release = new AbortController();
  readonly #task: ShardTask;
  readonly #listener: CopyListener = {
    onFailure: (failure) => this.#reporter.addFailure(failure),
    onThrottled: (trouble) => {
      if (this.#options.onThrottled(trouble)) this.#reporter.countHoldoff();
    },
  };
  #copy: CopyRun | null = null;
  /** Done by earlier attempts under this lease, up to the checkpoint. */
  #base: CopyCounters = NO_COUNTERS;
  readonly ended: Promise<LeaseEnd>;

  constructor(options: ShardRunOptions) {
    const { assignment, console, log, timing } = options;
    this.#options = options;
    this.#log = log.child({ job: assignment.jobId, shard: assignment.shardId });
    const { jobId, mode, source, target, work, checkpoint, heldBefore } = assignment;
    this.#task = { jobId, mode, source, target, work, checkpoint, heldBefore };
    this.#reporter = new ShardReporter(
      {
        leaseId: assignment.leaseId,
        send: (report, signal) => console.report(assignment.shardId, report, signal),
        progress: () => this.progress(),
        holdoff: options.holdoff,
        onDesired: (desired) => this.#follow(desired),
        onLost: () => this.#lost(),
        onTrouble: (error) => this.#log.warn({ error: messageOf(error) }, 'progress report not taken'),
        timing,
        intervalMs: options.reportIntervalMs,
      },
      this.#giveUp.signal,
    );
    this.ended = this.#run();
  }

  get jobId(): string {
    return this.#task.jobId;
  }

  /** How far this lease has come. */
  progress(): CopyProgress {
    const run = this.#copy?.progress();
    return {
      checkpoint: run?.checkpoint ?? this.#task.checkpoint,
      atCheckpoint: addCounters(this.#base, run?.atCheckpoint ?? NO_COUNTERS),
      live: addCounters(this.#base, run?.live ?? NO_COUNTERS),
    };
  }

  /** A holdoff pauses all shards of the agent, and the console should see it now. */
  holdoffBegan(): void {
    this.#copy?.pause();
    this.#reporter.soon();
  }

  holdoffEnded(): void {
    this.#copy?.resume();
    this.#reporter.soon();
  }

  /** Gives the shard back at its checkpoint, after what is under way has finished or `drainMs` have passed. */
  release(): void {
    if (this.#release.signal.aborted) return;
    this.#release.abort();
    this.#copy?.release();
    const cancel = this.#options.timing.startTimer(() => this.#abort.abort(), this.#options.drainMs);
    void this.ended.finally(cancel);
  }

  /** Ends everything now; nobody is told. */
  giveUp(): void {
    this.#release.abort();
    this.#abort.abort();
    this.#giveUp.abort();
    this.#reporter.resume();
  }

  async #run(): Promise<LeaseEnd> {
    const startedAtMs = this.#options.timing.now();
    let outcome: Outcome;
    try {
      outcome = await this.#work();
    } catch (error) {
      this.#log.error({ err: error }, 'unexpected error: the shard goes back to the queue');
      outcome = { state: 'released', error: null };
    }
    const end = await this.#reporter.finish(outcome.state, outcome.error);
    const { live } = this.progress();
    const took = { ms: Math.round(this.#options.timing.now() - startedAtMs), lease: end, ...live };
    if (outcome.state === 'failed') this.#log.error({ ...took, error: outcome.error }, 'job failed');
    else this.#log.info(took, `shard ${outcome.state}`);
    return end;
  }

  async #work(): Promise<Outcome> {
    const { assignment } = this.#options;
    if (assignment.splitInto > 1 && assignment.work.type === 'range') {
      const failed = await this.#persist(() => this.#planAndSplit(assignment.splitInto));
      if (failed !== null) return failed;
    }
    const ended = await this.#persist(() => this.#copyOnce());
    return ended ?? { state: 'completed', error: null };
  }

  /**
   * Repeats an attempt that trouble interrupts, until it succeeds (null) or there is nothing left to do. An attempt that
   * moves the checkpoint shows that waiting helps, so patience begins anew.
   */
  async #persist(attempt: () => Promise<CopyEnd>): Promise<Outcome | null> {
    const { timing, patienceMs } = this.#options;
    let since = timing.now();
    let failures = 0;
    let checkpoint = this.#task.checkpoint;
    for (;;) {
      if (this.#release.signal.aborted) return { state: 'released', error: null };
      const end = await attempt().catch((error: unknown) => this.#unexpected(error));
      switch (end.type) {
        case 'completed':
          return null;
        case 'stopped':
          return { state: 'released', error: null };
        case 'hopeless':
          return { state: 'failed', error: end.trouble };
        case 'interrupted':
          break;
      }
      if (this.#task.checkpoint !== checkpoint) {
        checkpoint = this.#task.checkpoint;
        since = timing.now();
        failures = 0;
      }
      failures++;
      if (timing.now() - since >= patienceMs) return { state: 'failed', error: end.trouble };
      const delayMs = jitteredDelayMs(failures, MAX_PAUSE_MS, timing.random());
      this.#log.warn({ ...end.trouble, retryInMs: Math.round(delayMs) }, 'interrupted');
      await pause(timing, delayMs, this.#release.signal);
    }
  }

  async #planAndSplit(parts: number): Promise<CopyEnd> {
    const { engine, assignment, console, timing } = this.#options;
    const plan = await engine.planBoundaries(this.#task, parts, this.#listener, this.#abort.signal);
    if (plan.type !== 'planned') return plan;
    if (this.#release.signal.aborted) return { type: 'stopped' };
    // A report between two tries of one split would keep the console from recognising the second.
    await this.#reporter.hold();
    try {
      this.#task.work = await untilAnswered(
        () => console.split(assignment.shardId, assignment.leaseId, plan.boundaries, this.#abort.signal),
        {
          timing,
          signal: this.#release.signal,
          onRetry: (error, inMs) => this.#log.warn({ error: messageOf(error), retryInMs: inMs }, 'split not answered'),
        },
      );
      this.#log.info({ ranges: plan.boundaries.length + 1 }, 'job split into key ranges');
      return { type: 'completed' };
    } catch (error) {
      if (this.#release.signal.aborted || this.#abort.signal.aborted) return { type: 'stopped' };
      // The whole range can be copied as well: a refused split costs speed, nothing else. A lost lease shows at once,
      // with the next report.
      this.#log.warn({ error: messageOf(error) }, 'the console refused the split');
      return { type: 'completed' };
    } finally {
      this.#reporter.resume();
    }
  }

  async #copyOnce(): Promise<CopyEnd> {
    const { engine } = this.#options;
    const run = engine.copy(this.#task, this.#listener, this.#abort.signal);
    this.#copy = run;
    if (this.#options.holdoff() !== null) run.pause();
    if (this.#release.signal.aborted) run.release();
    const end = await run.ended;
    if (end.type === 'interrupted') {
      // What lies beyond the checkpoint is done again by the next attempt, which counts it then.
      const { checkpoint, atCheckpoint } = this.progress();
      this.#base = atCheckpoint;
      this.#task.checkpoint = checkpoint;
      this.#task.heldBefore = true;
      this.#copy = null;
    }
    return end;
  }

  #unexpected(error: unknown): CopyEnd {
    if (this.#abort.signal.aborted) return { type: 'stopped' };
    this.#log.error({ err: error }, 'unexpected error in a shard');
    return { type: 'interrupted', trouble: { code: 'agent-error', message: messageOf(error).slice(0, 1_000) } };
  }

  #follow(desired: ProgressResponse['desired']): void {
    if (desired === 'run' || this.#release.signal.aborted) return;
    this.#log.info({ desired }, 'the console wants the shard back');
    if (desired === 'abandon') this.#abort.abort();
    this.release();
  }

  #lost(): void {
    this.#log.warn('the lease was lost: another agent has the shard');
    this.giveUp();
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

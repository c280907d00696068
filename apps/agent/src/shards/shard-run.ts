/*
 * One lease, from the claim to its last report:
 *
 *   planning ──boundaries──▶ splitting ──first range──▶ copying ──all done──▶ completed
 *   (only when the console asks for it)                   │  ▲
 *                       network or server trouble, a bug  ▼  │ after a while, from the checkpoint
 *                                                       waiting
 *
 *   copying ──the console wants the rest for others──▶ copying, a shorter range (see range-splitter.ts)
 *   cleaning up instead of all this, when the assignment says so ──▶ completed
 *   any ──release, or the agent drains──▶ finishes what is under way, at most `drainMs` long ──▶ released
 *   any ──abandon──▶ gives up what is under way ──▶ released
 *   any ──lease lost──▶ gives up what is under way, says nothing more
 *   planning, copying ──no retry can help, or waited too long without progress──▶ failed (the whole job)
 */
import type {
  Assignment,
  CopyCounters,
  Holdoff,
  ProgressRequest,
  ProgressResponse,
  ShardTrouble,
  ShardWork,
} from '@weir/protocol';
import type { Logger } from 'pino';
import type { Timing } from '../timing.ts';
import { Attempts, type Outcome } from './attempts.ts';
import {
  addCounters,
  NO_COUNTERS,
  noProgress,
  type CopyEnd,
  type CopyEngine,
  type CopyListener,
  type CopyProgress,
  type CopyRun,
  type CopyTrouble,
  type ShardTask,
} from './copy-engine.ts';
import { splitFirst } from './initial-split.ts';
import { RangeSplitter } from './range-splitter.ts';
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

/** Codes of agents' own; each has a heading in docs/agent-error-codes.md (a test compares). */
export const AGENT_CODES = ['agent-error'] as const;

export class ShardRun {
  readonly #options: ShardRunOptions;
  readonly #log: Logger;
  readonly #reporter: ShardReporter;
  readonly #splitter: RangeSplitter;
  readonly #attempts: Attempts;
  /** Ends the copying at once. */
  readonly #abort = new AbortController();
  /** Gives up everything, the last report included. */
  readonly #giveUp = new AbortController();
  /** Ends waiting and begins nothing new. */
  readonly #release = new AbortController();
  readonly #task: ShardTask;
  readonly #listener: CopyListener = {
    onFailure: (failure) => this.#reporter.addFailure(failure),
    onPlanned: (object) => this.#reporter.addPlanned(object),
    onThrottled: (trouble) => {
      if (this.#options.onThrottled(trouble)) this.#reporter.countHoldoff();
    },
  };
  readonly #tellSplit = (boundaries: string[], signal: AbortSignal): Promise<ShardWork> => {
    const { console, assignment } = this.#options;
    return console.split(assignment.shardId, assignment.leaseId, boundaries, signal);
  };
  #copy: CopyRun | null = null;
  /** Done by earlier attempts under this lease, up to the checkpoint. */
  #base: CopyCounters = NO_COUNTERS;
  /** Spent by earlier attempts under this lease. */
  #spent: Pick<CopyProgress, 'traffic' | 'waitedMs'> = noProgress(null, null);
  /** For how long requests had failed when the last attempt ended, in ms. */
  #failedForMs = 0;
  readonly ended: Promise<LeaseEnd>;

  constructor(options: ShardRunOptions) {
    const { assignment, console, log, timing } = options;
    this.#options = options;
    this.#log = log.child({ job: assignment.jobId, shard: assignment.shardId });
    const { jobId, kind, mode, source, target, work, checkpoint, manifest, startedAtMs, heldBefore } = assignment;
    const jobOptions = assignment.options;
    this.#task = {
      jobId,
      kind,
      mode,
      options: jobOptions,
      source,
      target,
      work,
      checkpoint,
      manifest,
      startedAtMs,
      heldBefore,
    };
    this.#reporter = new ShardReporter(
      {
        leaseId: assignment.leaseId,
        send: (report, signal) => console.report(assignment.shardId, report, signal),
        progress: () => this.progress(),
        holdoff: options.holdoff,
        trouble: () => this.#trouble(),
        canSplit: () => this.#canSplit(),
        onDesired: (answer) => this.#follow(answer),
        onLost: () => this.#lost(),
        onTrouble: (error) => this.#log.warn({ error: messageOf(error) }, 'progress report not taken'),
        timing,
        intervalMs: options.reportIntervalMs,
      },
      this.#giveUp.signal,
    );
    this.#splitter = new RangeSplitter({
      engine: options.engine,
      tell: this.#tellSplit,
      listener: this.#listener,
      log: this.#log,
      timing,
      abort: this.#abort.signal,
      release: this.#release.signal,
    });
    this.#attempts = new Attempts({
      timing,
      patienceMs: options.patienceMs,
      release: this.#release.signal,
      checkpoint: () => this.#task.checkpoint,
      log: this.#log,
    });
    this.ended = this.#run();
  }

  get jobId(): string {
    return this.#task.jobId;
  }

  /** How far this lease has come. */
  progress(): CopyProgress {
    const run = this.#copy?.progress() ?? noProgress(this.#task.checkpoint, this.#task.manifest);
    const { traffic, waitedMs } = this.#spent;
    return {
      checkpoint: run.checkpoint ?? this.#task.checkpoint,
      atCheckpoint: addCounters(this.#base, run.atCheckpoint),
      live: addCounters(this.#base, run.live),
      manifest: run.manifest,
      // While a split is not agreed on, it is not known where the range ends.
      listed: run.listed && !this.#splitter.busy,
      traffic: {
        bytesRead: traffic.bytesRead + run.traffic.bytesRead,
        bytesWritten: traffic.bytesWritten + run.traffic.bytesWritten,
      },
      waitedMs: waitedMs + run.waitedMs,
    };
  }

  #trouble(): ShardTrouble | null {
    // A holdoff is shown as what it is.
    if (this.#options.holdoff() !== null) return null;
    const live = this.#copy?.progress().live;
    if (live !== undefined && live.objectsCopied + live.objectsSkipped > 0) this.#attempts.recovered();
    return this.#attempts.trouble ?? this.#copy?.trouble() ?? null;
  }

  #canSplit(): boolean {
    const { kind, work } = this.#task;
    if (kind !== 'copy' || work.type !== 'range' || this.#copy === null || this.#splitter.busy) return false;
    return !this.#release.signal.aborted && !this.#copy.progress().listed;
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
    const { assignment, engine } = this.#options;
    if (assignment.kind === 'clean-up') {
      const failed = await this.#persist(() => engine.cleanUp(this.#task, this.#abort.signal));
      return failed ?? { state: 'completed', error: null };
    }
    if (assignment.splitInto > 1 && assignment.work.type === 'range') {
      const failed = await this.#persist(() => this.#planAndSplit(assignment.splitInto));
      if (failed !== null) return failed;
    }
    const ended = await this.#persist(() => this.#copyOnce());
    return ended ?? { state: 'completed', error: null };
  }

  /** Repeats an attempt until it succeeds (null) or there is nothing left to do. */
  #persist(attempt: () => Promise<CopyEnd>): Promise<Outcome | null> {
    const careful = (): Promise<CopyEnd> => attempt().catch((error: unknown) => this.#unexpected(error));
    return this.#attempts.until(careful, () => this.#failedForMs);
  }

  #planAndSplit(parts: number): Promise<CopyEnd> {
    const { engine, timing } = this.#options;
    return splitFirst({
      task: this.#task,
      parts,
      engine,
      tell: this.#tellSplit,
      listener: this.#listener,
      reporter: this.#reporter,
      log: this.#log,
      timing,
      abort: this.#abort.signal,
      release: this.#release.signal,
    });
  }

  async #copyOnce(): Promise<CopyEnd> {
    for (;;) {
      const end = await this.#copyRange();
      if (end !== 'narrowed') return end;
    }
  }

  /** `narrowed`: copied up to a boundary that the console did not agree to; the rest of the range follows. */
  async #copyRange(): Promise<CopyEnd | 'narrowed'> {
    const { engine } = this.#options;
    this.#splitter.begin();
    const run = engine.copy(this.#task, this.#listener, this.#abort.signal);
    this.#copy = run;
    if (this.#options.holdoff() !== null) run.pause();
    if (this.#release.signal.aborted) run.release();
    const end = await run.ended;
    this.#failedForMs = run.trouble()?.forMs ?? 0;
    const narrowed = await this.#splitter.settled();
    if (end.type === 'completed' && narrowed.agreed) return end;
    if (end.type === 'completed' && this.#release.signal.aborted) {
      this.#settle(narrowed.endAt);
      return { type: 'stopped' };
    }
    if (end.type === 'completed') this.#settle(narrowed.endAt);
    else if (end.type === 'interrupted') this.#settle(null);
    return end.type === 'completed' ? 'narrowed' : end;
  }

  /** Ends an attempt after which another one follows. What lies beyond its checkpoint is done, and counted, again by it. */
  #settle(doneUpTo: string | null): void {
    const { checkpoint, atCheckpoint, manifest, traffic, waitedMs } = this.progress();
    this.#base = atCheckpoint;
    this.#spent = { traffic, waitedMs };
    this.#task.checkpoint = doneUpTo ?? checkpoint;
    this.#task.manifest = manifest;
    this.#task.heldBefore = true;
    this.#copy = null;
  }

  #unexpected(error: unknown): CopyEnd {
    if (this.#abort.signal.aborted) return { type: 'stopped' };
    this.#log.error({ err: error }, 'unexpected error in a shard');
    return { type: 'interrupted', trouble: { code: AGENT_CODES[0], message: messageOf(error).slice(0, 1_000) } };
  }

  #follow({ desired, splitInto }: ProgressResponse): void {
    if (desired === 'run' || this.#release.signal.aborted) return;
    if (desired === 'split') {
      if (this.#copy === null || !this.#canSplit()) return;
      this.#splitter.split(this.#task, this.#copy, splitInto ?? 2, (work) => (this.#task.work = work));
      return;
    }
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

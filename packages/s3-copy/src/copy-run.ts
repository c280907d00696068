import { AdaptiveLimit, FixedLimit } from './adaptive-limit.ts';
import { requireAnswers } from './answering.ts';
import { Cancellation, CancelledError } from './cancellation.ts';
import { CheckpointTracker, failureOf } from './checkpoint.ts';
import type { Ticket } from './checkpoint.ts';
import { copyObject } from './copy-object.ts';
import { newCopyPlan } from './copy-plan.ts';
import type { CopyOutcome, CopyPlan } from './copy-plan.ts';
import type { CopyResult, CopyRunOptions, CopySnapshot, UnderWay, WorkItem, WorkSource } from './copy-run-options.ts';
import { countersWhenDecided, emptyCounters } from './counters.ts';
import type { CopyCounters } from './counters.ts';
import { S3Error } from './errors.ts';
import { SuspicionLedger, classifyFault } from './fault-policy.ts';
import { emptyTally, openGate } from './gate.ts';
import type { CallContext, CallTally, Traffic } from './gate.ts';
import { InFlightLimit } from './in-flight-limit.ts';
import { weightOf } from './item-weight.ts';
import { leftUploads } from './left-uploads.ts';
import { entryOf, entryOfFailed, entryOfDecided } from './manifest-entry.ts';
import { Pause } from './pause.ts';
import { RangeEnd } from './range-end.ts';
import { internalError, keyIsNoText } from './run-errors.ts';
import { requireWritable } from './write-check.ts';

/*
 * A run: running ⇄ paused; running or paused → completed | released | abandoned | failed.
 * paused: by the caller, or by a throttle that retries could not absorb; nothing new is sent, the caller resumes.
 * released: the caller takes the work back; what is nearly done may finish, the rest is cut off.
 * abandoned: the caller does not want the work any more; everything is cut off.
 * failed: nothing that follows could succeed; everything is cut off.
 * In every case the promise of the result settles only when nothing is under way and no upload is left behind.
 */

const DEFAULT_MAX_AHEAD_OF_CHECKPOINT = 50_000;
/** Objects in a row that fail for what may be the endpoint's fault before the run stops. */
const SUSPICION_LIMIT = 16;
/** A released run waits this long for what is under way, in ms. */
const RELEASE_GRACE_MS = 2_000;

/** A copy under way. Made by `copyRange` and `copyKeys`. */
export class CopyRun {
  /** Settles when the run has ended and nothing is under way; never rejects. */
  readonly result: Promise<CopyResult>;
  readonly #options: CopyRunOptions;
  readonly #plan: CopyPlan;
  readonly #tracker: CheckpointTracker;
  readonly #concurrency: AdaptiveLimit | FixedLimit;
  readonly #limit: InFlightLimit;
  readonly #pause = new Pause();
  readonly #end = new RangeEnd();
  #listed = false;
  /** Stops what has not begun: the listing, and whatever is parked. */
  readonly #waiting = new Cancellation();
  /** Stops what is under way. */
  readonly #operations = new Cancellation();
  /** What the requests of all objects have in common. */
  readonly #shared: Omit<CallContext, 'tally'>;
  readonly #maxAhead: number;
  readonly #traffic: Traffic = { bytesRead: 0, bytesWritten: 0 };
  readonly #suspicion = new SuspicionLedger<UnderWay>(SUSPICION_LIMIT);
  #ending: 'released' | 'abandoned' | null = null;
  #failure: S3Error | null = null;
  #wakeDispatcher: (() => void) | null = null;

  constructor(options: CopyRunOptions, checkpoint: string | null, work: WorkSource) {
    this.#options = options;
    this.#plan = newCopyPlan(options);
    this.#tracker = new CheckpointTracker(checkpoint, options, options.manifest);
    const concurrency = options.concurrency ?? 64;
    this.#concurrency =
      options.adaptive === false
        ? new FixedLimit(concurrency)
        : new AdaptiveLimit(concurrency, () => performance.now());
    this.#limit = new InFlightLimit(this.#concurrency, options.maxBytesInFlight ?? 256 * 1024 * 1024);
    this.#maxAhead = Math.max(1, options.maxAheadOfCheckpoint ?? DEFAULT_MAX_AHEAD_OF_CHECKPOINT);
    const gateBelowPause = options.gate ?? openGate;
    this.#shared = {
      gate: this.#pause.gateOver(gateBelowPause, this.#waiting),
      gateBelowPause,
      cancellation: this.#operations,
      traffic: this.#traffic,
      pace: this.#concurrency,
      absorb: (run) => this.#absorb(run),
    };
    const abandon = (): void => void this.abandon();
    if (options.signal?.aborted === true) abandon();
    options.signal?.addEventListener('abort', abandon, { once: true });
    this.result = this.#run(work).finally(() => options.signal?.removeEventListener('abort', abandon));
  }

  /** How far it is. Cheap. */
  snapshot(): CopySnapshot {
    return {
      checkpoint: this.#tracker.checkpoint,
      manifest: this.#tracker.manifest(),
      atCheckpoint: this.#tracker.atCheckpoint(),
      live: this.#tracker.live(),
      traffic: { ...this.#traffic },
      warnings: this.#plan.learned.counts(),
      inFlight: this.#limit.objects,
      concurrency: this.#concurrency.value,
      paused: this.#pause.paused,
      listed: this.#listed,
      lastBegun: this.#end.last,
    };
  }

  /**
   * Ends the range at a key, which still belongs to it, so that others can take what lies behind. False: the run is past
   * it already, and nothing changes.
   */
  narrow(endAt: string): boolean {
    return !this.#listed && this.#end.narrow(endAt);
  }

  /** Changes how many objects may be under way, as when several runs share a machine: 1 or more. */
  setConcurrency(max: number): void {
    this.#concurrency.max = Math.max(1, max);
    this.#limit.admitWaiting();
  }

  /** Sends nothing new until `resume()`; what is under way goes on to its next request. */
  pause(): void {
    this.#pause.pause();
  }

  resume(): void {
    this.#pause.resume();
  }

  /** Stops at the checkpoint, for somebody else to continue: what is under way may finish within 2 s. */
  release(): Promise<CopyResult> {
    if (this.#ending === null && this.#failure === null) {
      this.#ending = 'released';
      this.#waiting.cancel(new CancelledError('released'));
      const cutOff = (): void => this.#operations.cancel(new CancelledError('released'));
      const ended = new Cancellation();
      void this.result.then(() => ended.cancel(new CancelledError('ended')));
      this.#options.source.client.clock.sleep(RELEASE_GRACE_MS, ended).then(cutOff, cutOff);
    }
    return this.result;
  }

  /** Stops at once and cleans up. */
  abandon(): Promise<CopyResult> {
    this.#ending = 'abandoned';
    this.#cutOff('abandoned');
    return this.result;
  }

  async #run(work: WorkSource): Promise<CopyResult> {
    try {
      await this.#dispatch(work);
      this.#listed = this.#waiting.reason === null;
    } catch (error) {
      this.#failWith(error);
    }
    await this.#limit.idle();
    await this.#judgeSuspects();
    const snapshot = this.snapshot();
    if (this.#failure !== null) return { state: 'failed', error: this.#failure, snapshot };
    return { state: this.#ending ?? 'completed', error: null, snapshot };
  }

  async #dispatch(work: WorkSource): Promise<void> {
    const tally = emptyTally();
    const call: CallContext = { ...this.#call(tally), cancellation: this.#waiting };
    if (this.#options.checkTarget === true && this.#plan.dryRun !== true) {
      await this.#absorb(() => requireWritable(this.#plan, call));
    }
    if (this.#options.abortLeftUploads === true && this.#plan.dryRun !== true) {
      this.#plan.leftUploads = await this.#absorb(() => leftUploads(this.#plan, call));
    }
    for await (const page of work(call, (run) => this.#absorb(run))) {
      this.#tracker.addOverhead(tally);
      Object.assign(tally, emptyTally());
      for (const item of page) {
        const decided = countersWhenDecided(item, this.#plan.dryRun === true);
        const bytes = decided === null ? weightOf(this.#plan, item) : 0;
        const room = decided === null ? this.#limit.take(bytes) : undefined;
        if (room !== undefined) await room;
        if (this.#waiting.reason === null && this.#tracker.outstanding >= this.#maxAhead) await this.#progress();
        if (this.#waiting.reason !== null || !this.#end.begins(item.key)) {
          if (decided === null) this.#limit.give(bytes);
          return;
        }
        const ticket = this.#tracker.begin(item.key, item.keyIsExact);
        if (decided === null)
          this.#start({ item, ticket, tally: emptyTally(), charge: { taken: false }, suspicion: null }, bytes);
        else this.#finishDecided(ticket, item, decided);
      }
    }
  }

  /** Begins an object for which there is room of so many bytes. */
  #start(object: UnderWay, bytes: number): void {
    void this.#copy(object)
      .catch((error: unknown) => this.#failWith(error))
      .finally(() => this.#limit.give(bytes));
  }

  /** Repeats until it succeeds, fails for good or fails otherwise than by a throttle. */
  async #copy(object: UnderWay): Promise<void> {
    const { item } = object;
    const call = this.#call(object.tally, object.charge);
    for (;;) {
      try {
        const held = this.#pause.ready(this.#waiting);
        if (held !== undefined) await held;
        if (!item.keyIsExact) throw keyIsNoText(this.#plan, item.key);
        this.#finish(object, await copyObject(this.#plan, item, call));
        return;
      } catch (error) {
        if (!this.#mayRepeat(error, object)) return;
      }
    }
  }

  /** Decides what a failure means. True: try again, after the pause. */
  #mayRepeat(error: unknown, object: UnderWay): boolean {
    if (error instanceof CancelledError) return false;
    if (!(error instanceof S3Error)) {
      this.#failWith(error);
      return false;
    }
    const fault = classifyFault(error);
    switch (fault) {
      case 'throttle':
        this.#throttled(error);
        return true;
      case 'stop':
        this.#failWith(error);
        return false;
      case 'transport':
      case 'access':
        if (object.suspicion !== null) this.#finishFailed(object, error);
        else {
          object.suspicion = { error, fault };
          if (this.#suspicion.suspect(object)) this.#failWith(error);
        }
        return false;
      case 'object':
        this.#finishFailed(object, error);
        return false;
      default:
        return fault satisfies never;
    }
  }

  /** Ends an object that the listings have decided on. It says nothing about whether the endpoints take copies. */
  #finishDecided(ticket: Ticket, item: WorkItem, counters: CopyCounters): void {
    const dry = this.#plan.dryRun === true;
    const entry = dry ? null : entryOfDecided(item);
    this.#tracker.finish(ticket, counters, entry === null ? {} : { entry });
    if (dry)
      this.#options.onPlanned?.(item, item.verdict === 'skip' || item.verdict === 'exclude' ? item.verdict : 'copy');
  }

  #finish({ item, ticket, tally }: UnderWay, outcome: CopyOutcome): void {
    this.#releaseSuspects();
    const dry = this.#plan.dryRun === true;
    if (dry) this.#options.onPlanned?.(item, outcome.type === 'skipped' ? 'skip' : 'copy');
    const counters = { ...emptyCounters(), ...tally };
    if (outcome.type === 'skipped') counters.objectsSkipped = 1;
    else {
      counters.objectsCopied = 1;
      counters.bytesCopied = outcome.bytes;
    }
    this.#tracker.finish(ticket, counters, dry ? {} : { entry: entryOf(item, outcome) });
    this.#wakeDispatcher?.();
  }

  #finishFailed({ item, ticket, tally }: UnderWay, error: S3Error): void {
    this.#releaseSuspects();
    const failure = failureOf(ticket.key, error);
    const passed = this.#plan.dryRun === true ? { failure } : { failure, entry: entryOfFailed(item) };
    this.#tracker.finish(ticket, { ...emptyCounters(), ...tally, objectsFailed: 1 }, passed);
    this.#wakeDispatcher?.();
  }

  /** The endpoints answer. What had no answer is tried once more, and what fails then, or was refused, fails by itself. */
  #releaseSuspects(): void {
    if (this.#waiting.reason !== null) return;
    for (const object of this.#suspicion.release()) {
      if (object.suspicion?.fault === 'access') {
        this.#finishFailed(object, object.suspicion.error);
        continue;
      }
      const bytes = weightOf(this.#plan, object.item);
      this.#limit.enter(bytes);
      this.#start(object, bytes);
    }
  }

  /**
   * Nothing came after the last suspects that could have shown whose fault it was, so the endpoints are asked: if one is
   * away, the run fails and the objects wait for the next one.
   */
  async #judgeSuspects(): Promise<void> {
    try {
      if (this.#suspicion.some(({ suspicion }) => suspicion?.fault === 'transport') && this.#waiting.reason === null) {
        await requireAnswers(this.#plan, this.#call(emptyTally()), (run) => this.#absorb(run));
      }
      this.#releaseSuspects();
    } catch (error) {
      this.#failWith(error);
    }
    await this.#limit.idle();
  }

  #throttled(error: S3Error): void {
    if (this.#waiting.reason === null && this.#pause.pause()) this.#options.onThrottled(error);
  }

  async #absorb<T>(run: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await run();
      } catch (error) {
        if (!(error instanceof S3Error) || !error.throttle) throw error;
        this.#throttled(error);
        await this.#pause.ready(this.#waiting);
      }
    }
  }

  #failWith(error: unknown): void {
    if (error instanceof CancelledError || this.#ending !== null) return;
    this.#failure ??= error instanceof S3Error ? error : internalError(this.#plan, error);
    this.#cutOff('failed');
  }

  #cutOff(why: string): void {
    this.#waiting.cancel(new CancelledError(why));
    this.#operations.cancel(new CancelledError(why));
    this.#wakeDispatcher?.();
  }

  /** Waits until the checkpoint has come nearer. */
  async #progress(): Promise<void> {
    while (this.#tracker.outstanding >= this.#maxAhead && this.#waiting.reason === null) {
      await new Promise<void>((resolve) => {
        this.#wakeDispatcher = resolve;
      });
    }
    this.#wakeDispatcher = null;
  }

  #call(tally: CallTally, charge?: { taken: boolean }): CallContext {
    const call = { ...this.#shared, tally };
    return charge === undefined ? call : { ...call, charge };
  }
}

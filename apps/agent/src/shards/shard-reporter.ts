/*
 * Reports on one lease, one after the other:
 *
 *   waiting ──every 2 s, or soon()──▶ sending ──answer──▶ waiting
 *                                        │
 *                                  no answer: again after 1–10 s, with what is true by then
 *
 *   hold() ends sending and begins no more until resume()
 *   finish() makes the next report the last one, which is repeated until it is answered
 *   lease lost, the agent itself refused, or a report that will never be taken ──▶ lost: nothing more is sent
 *
 * Failures travel before the checkpoint that covers them: if the agent dies, its successor continues after the
 * checkpoint and would never meet them again.
 */
import { ApiError } from '@weir/client';
import type {
  CopyFailure,
  Holdoff,
  PlannedObject,
  ProgressRequest,
  ProgressResponse,
  ShardTrouble,
} from '@weir/protocol';
import { isAgentRefused, isUnanswered, retryDelayMs } from '../console/unanswered.ts';
import { pause, type Timing } from '../timing.ts';
import { noProgress, type CopyProgress, type CopyTrouble } from './copy-engine.ts';
import { FailureList } from './failure-list.ts';
import { PlannedSample } from './planned-sample.ts';

/** How a lease ended: the console knows, somebody else has the shard, or the caller gave up waiting for an answer. */
export type LeaseEnd = 'acknowledged' | 'lost' | 'given-up';

export interface ShardReporterOptions {
  leaseId: string;
  send: (report: ProgressRequest, signal: AbortSignal) => Promise<ProgressResponse>;
  /** Counters of the whole lease. */
  progress: () => CopyProgress;
  holdoff: () => Holdoff | null;
  /** Why nothing moves; null: nothing is known to be wrong. */
  trouble: () => ShardTrouble | null;
  /** Whether the rest of the range can be given to others. */
  canSplit: () => boolean;
  /** What the console wants done, after each answer. */
  onDesired: (answer: ProgressResponse) => void;
  onLost: () => void;
  /** A report was not taken; it is repeated unless `onLost` follows. */
  onTrouble: (error: unknown) => void;
  timing: Timing;
  /** Time between two reports, in ms. */
  intervalMs: number;
}

interface FinalState {
  state: 'completed' | 'released' | 'failed';
  error: CopyTrouble | null;
}

export class ShardReporter {
  readonly #options: ShardReporterOptions;
  readonly #signal: AbortSignal;
  readonly #failures = new FailureList();
  readonly #planned = new PlannedSample();
  readonly #beganAtMs: number;
  readonly #end: Promise<LeaseEnd>;
  /** Last progress that the console acknowledged; reported again while failures before a newer one are under way. */
  #acknowledged: CopyProgress = noProgress(null, null);
  #holdoffCount = 0;
  #final: FinalState | null = null;
  #wake = new AbortController();
  #sending: Promise<unknown> = Promise.resolve();
  #held: Hold | null = null;

  /** @param signal gives up: an unanswered last report is not repeated any more */
  constructor(options: ShardReporterOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    this.#beganAtMs = options.timing.now();
    this.#end = this.#run();
  }

  /** Failures that were neither reported nor kept, because too many waited. */
  get droppedFailures(): number {
    return this.#failures.dropped;
  }

  addFailure(failure: CopyFailure): void {
    this.#failures.add(failure);
  }

  /** A dry run met an object; the first ones travel with the next report. */
  addPlanned(object: PlannedObject): void {
    this.#planned.add(object);
  }

  /** A holdoff began because of this shard: counted, and reported at once. */
  countHoldoff(): void {
    this.#holdoffCount++;
    this.soon();
  }

  /** Reports at once instead of at the next interval. */
  soon(): void {
    this.#wake.abort();
  }

  /** Resolves when no report is under way, and lets none begin. */
  async hold(): Promise<void> {
    this.#held ??= newHold();
    await this.#sending;
  }

  resume(): void {
    this.#held?.release();
    this.#held = null;
  }

  /** Reports the end, repeated until it is answered. */
  finish(state: FinalState['state'], error: CopyTrouble | null = null): Promise<LeaseEnd> {
    this.#final ??= { state, error };
    this.resume();
    this.soon();
    return this.#end;
  }

  async #run(): Promise<LeaseEnd> {
    const { intervalMs, timing, onTrouble, onLost } = this.#options;
    let delayMs = intervalMs;
    let missed = 0;
    for (;;) {
      await this.#pause(delayMs, missed > 0);
      if (this.#signal.aborted) return 'given-up';
      const batch = this.#failures.batch();
      try {
        const sending = this.#sendOne(batch);
        this.#sending = sending.catch(() => undefined);
        if (await sending) return 'acknowledged';
        missed = 0;
        delayMs = this.#failures.size > 0 ? 0 : intervalMs;
      } catch (error) {
        if (this.#signal.aborted) return 'given-up';
        onTrouble(error);
        // Failures are the likely cause of a refusal, and the only part of a report that can be left out.
        if (isLeaseLost(error) || (!isUnanswered(error) && batch.length === 0)) {
          onLost();
          return 'lost';
        }
        if (!isUnanswered(error)) this.#failures.delivered(batch.length);
        missed++;
        delayMs = retryDelayMs(missed, error, timing.random());
      }
    }
  }

  /** Waits for the next report. News end the wait, but do not hurry a console that does not answer. */
  async #pause(delayMs: number, retrying: boolean): Promise<void> {
    if (retrying) await pause(this.#options.timing, delayMs, this.#signal);
    else if (delayMs > 0) {
      const either = firstOf(this.#signal, this.#wake.signal);
      await pause(this.#options.timing, delayMs, either.signal);
      either.forget();
    }
    await this.#held?.released;
    if (this.#wake.signal.aborted) this.#wake = new AbortController();
  }

  /** @returns true once the last report has been answered */
  async #sendOne(batch: readonly CopyFailure[]): Promise<boolean> {
    const current = this.#options.progress();
    const moreFollow = batch.length < this.#failures.size;
    const final = moreFollow ? null : this.#final;
    const known = moreFollow ? this.#acknowledged : current;
    const planned = this.#planned.batch();
    const report: ProgressRequest = {
      leaseId: this.#options.leaseId,
      state: final?.state ?? 'running',
      checkpoint: known.checkpoint,
      atCheckpoint: known.atCheckpoint,
      live: current.live,
      failures: [...batch],
      error: final?.error ? fitted(final.error) : null,
      holdoff: this.#options.holdoff(),
      holdoffCount: this.#holdoffCount,
      trouble: final === null ? this.#options.trouble() : null,
      listed: current.listed,
      canSplit: final === null && this.#options.canSplit(),
      traffic: current.traffic,
      heldMs: Math.round(this.#options.timing.now() - this.#beganAtMs),
      waitedMs: Math.round(current.waitedMs),
      manifest: known.manifest,
      planned,
    };
    const answer = await this.#options.send(report, this.#signal);
    this.#failures.delivered(batch.length);
    this.#planned.delivered(planned.length);
    this.#acknowledged = known;
    if (final !== null) return true;
    this.#options.onDesired(answer);
    return false;
  }
}

/** What servers say is unbounded; the wire is not. */
function fitted(trouble: CopyTrouble): CopyTrouble {
  return { code: trouble.code.slice(0, 64), message: trouble.message.slice(0, 1_000) };
}

interface Hold {
  released: Promise<void>;
  release: () => void;
}

function newHold(): Hold {
  const hold: Partial<Hold> = {};
  const released = new Promise<void>((resolve) => {
    hold.release = resolve;
  });
  return { released, release: () => hold.release?.() };
}

function isLeaseLost(error: unknown): boolean {
  if (isAgentRefused(error)) return true;
  return error instanceof ApiError && (error.code === 'lease-lost' || error.code === 'not-found');
}

/** A signal that fires with the first of two; `AbortSignal.any` would tie each wait to the long-lived one. */
function firstOf(a: AbortSignal, b: AbortSignal): { signal: AbortSignal; forget: () => void } {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  for (const signal of [a, b]) {
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  }
  const forget = (): void => {
    for (const signal of [a, b]) signal.removeEventListener('abort', abort);
  };
  return { signal: controller.signal, forget };
}

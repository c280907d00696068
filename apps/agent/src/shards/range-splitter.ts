/*
 * Gives the rest of a range away while its beginning is being copied:
 *
 *   idle ──split()──▶ planning ──boundaries──▶ narrowed ──the console agrees──▶ idle (the range ends at the first boundary)
 *                        │ none, or the copy is past them     │ it refuses
 *                        ▼                                    ▼
 *                       idle                                 idle (the copy ends at the boundary, and the rest follows)
 *
 * The copy is narrowed before the console is asked: once it agrees, another agent may begin behind the boundary at once.
 * Until it has answered nobody may say that the range is done.
 */
import type { ShardWork } from '@weir/protocol';
import type { Logger } from 'pino';
import { untilAnswered } from '../console/unanswered.ts';
import type { Timing } from '../timing.ts';
import type { CopyEngine, CopyListener, CopyRun, ShardTask } from './copy-engine.ts';

export interface RangeSplitterOptions {
  engine: Pick<CopyEngine, 'planBoundaries'>;
  /** Tells the console; answers with what is left to its holder. */
  tell: (boundaries: string[], signal: AbortSignal) => Promise<ShardWork>;
  listener: CopyListener;
  log: Logger;
  timing: Timing;
  /** Ends planning. */
  abort: AbortSignal;
  /** Ends waiting for the console. */
  release: AbortSignal;
}

/** End that a copy was given; null: that of its task. `agreed`: the console knows, so the task ends there as well. */
export interface Narrowed {
  endAt: string | null;
  agreed: boolean;
}

/** Even two objects are worth sharing: they may be huge, and a range of small ones is done before it is asked. */
const MIN_KEYS_PER_PART = 2;

export class RangeSplitter {
  readonly #options: RangeSplitterOptions;
  #under: Promise<void> | null = null;
  #narrowed: Narrowed = { endAt: null, agreed: true };

  constructor(options: RangeSplitterOptions) {
    this.#options = options;
  }

  get busy(): boolean {
    return this.#under !== null;
  }

  /** A new copy begins, with the whole range of its task. */
  begin(): void {
    this.#narrowed = { endAt: null, agreed: true };
  }

  /** Splits what a copy has not begun; `onAgreed` hears what is left to it. Does nothing while a split is under way. */
  split(task: ShardTask, copy: CopyRun, parts: number, onAgreed: (work: ShardWork) => void): void {
    if (this.#under !== null || !this.#narrowed.agreed) return;
    this.#under = this.#split(task, copy, parts, onAgreed)
      .catch((error: unknown) => this.#options.log.warn({ error: messageOf(error) }, 'the range was not split'))
      .finally(() => (this.#under = null));
  }

  /** Resolves when no split is under way, with the end that the copy was given. */
  async settled(): Promise<Narrowed> {
    await this.#under;
    return this.#narrowed;
  }

  async #split(task: ShardTask, copy: CopyRun, parts: number, onAgreed: (work: ShardWork) => void): Promise<void> {
    const { engine, listener, abort, release, log, timing, tell } = this.#options;
    const rest = { ...task, checkpoint: copy.lastBegun() ?? copy.progress().checkpoint };
    const plan = await engine.planBoundaries(rest, { parts, minKeysPerPart: MIN_KEYS_PER_PART }, listener, abort);
    if (plan.type !== 'planned' || release.aborted) return;
    const first = plan.boundaries.findIndex((boundary) => copy.narrow(boundary));
    const endAt = plan.boundaries[first];
    if (endAt === undefined) return;
    this.#narrowed = { endAt, agreed: false };
    const boundaries = plan.boundaries.slice(first);
    try {
      const work = await untilAnswered(() => tell(boundaries, abort), {
        timing,
        signal: release,
        onRetry: (error, inMs) => log.warn({ error: messageOf(error), retryInMs: inMs }, 'split not answered'),
      });
      onAgreed(work);
      this.#narrowed = { endAt, agreed: true };
      log.info({ ranges: boundaries.length }, 'gave the rest of a range to others');
    } catch (error) {
      // Refused for good, or nobody waits for the answer any more: the range is as it was for the console, as far as is
      // known here, and whoever holds it goes on behind the boundary.
      log.warn({ error: messageOf(error) }, 'the console did not agree to a split');
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

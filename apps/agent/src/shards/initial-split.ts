import type { ShardWork } from '@weir/protocol';
import type { Logger } from 'pino';
import { untilAnswered } from '../console/unanswered.ts';
import type { Timing } from '../timing.ts';
import type { CopyEnd, CopyEngine, CopyListener, ShardTask } from './copy-engine.ts';
import type { ShardReporter } from './shard-reporter.ts';

/** Fewer keys are not worth a range of their own: the first would be done before the last is taken. */
const MIN_KEYS_PER_RANGE = 500;

export interface InitialSplitOptions {
  task: ShardTask;
  parts: number;
  engine: Pick<CopyEngine, 'planBoundaries'>;
  /** Tells the console; answers with what is left to its holder. */
  tell: (boundaries: string[], signal: AbortSignal) => Promise<ShardWork>;
  listener: CopyListener;
  reporter: Pick<ShardReporter, 'hold' | 'resume'>;
  log: Logger;
  timing: Timing;
  /** Ends planning. */
  abort: AbortSignal;
  /** Ends waiting for the console. */
  release: AbortSignal;
}

/**
 * Splits a new job into key ranges before anything is copied, of which the first stays with this shard.
 * @returns how it ended; `task.work` is the first range when the console agreed
 */
export async function splitFirst(options: InitialSplitOptions): Promise<CopyEnd> {
  const { task, parts, engine, tell, listener, reporter, log, timing, abort, release } = options;
  const plan = await engine.planBoundaries(task, { parts, minKeysPerPart: MIN_KEYS_PER_RANGE }, listener, abort);
  if (plan.type !== 'planned') return plan;
  if (release.aborted) return { type: 'stopped' };
  // Nothing is done yet, so there is nothing to report; the console would only see a range that is about to change.
  await reporter.hold();
  try {
    task.work = await untilAnswered(() => tell(plan.boundaries, abort), {
      timing,
      signal: release,
      onRetry: (error, inMs) => log.warn({ error: messageOf(error), retryInMs: inMs }, 'split not answered'),
    });
    log.info({ ranges: plan.boundaries.length + 1 }, 'job split into key ranges');
    return { type: 'completed' };
  } catch (error) {
    if (release.aborted || abort.aborted) return { type: 'stopped' };
    // The whole range can be copied as well: a refused split costs speed, nothing else. A lost lease shows at once, with
    // the next report.
    log.warn({ error: messageOf(error) }, 'the console refused the split');
    return { type: 'completed' };
  } finally {
    reporter.resume();
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

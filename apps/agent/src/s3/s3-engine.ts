import { callContext, copyKeys, copyRange, planRanges, S3Error } from '@weir/s3-copy';
import type { CopyRunOptions, CopyResult, OperationGate } from '@weir/s3-copy';
import type { Timing } from '../timing.ts';
import { noProgress } from '../shards/copy-engine.ts';
import type {
  CopyEnd,
  CopyEngine,
  CopyListener,
  CopyProgress,
  CopyRun,
  CopyTrouble,
  Plan,
  PlannedParts,
  ShardTask,
  Traffic,
} from '../shards/copy-engine.ts';
import { ClientPool, type Borrowed } from './client-pool.ts';
import { ConcurrencyShares } from './concurrency-shares.ts';
import { removeLeftUploads } from './left-behind.ts';
import { WaitMeter } from './wait-meter.ts';

export interface S3EngineOptions {
  gate: OperationGate;
  /** Objects under way at once over all shards, each of which may have one in any case: 1 or more. */
  concurrency: number;
  timing: Pick<Timing, 'now' | 'startTimer'>;
  clients?: ClientPool;
}

type S3Run = ReturnType<typeof copyRange>;

/** Copies shards with `@weir/s3-copy`. */
export class S3Engine implements CopyEngine {
  readonly #options: S3EngineOptions;
  readonly #clients: ClientPool;
  readonly #shares: ConcurrencyShares;
  /** Runs under way, with the traffic of theirs that was taken already. */
  readonly #running = new Map<S3Run, Traffic>();
  #untaken: Traffic = { bytesRead: 0, bytesWritten: 0 };

  constructor(options: S3EngineOptions) {
    this.#options = options;
    this.#clients = options.clients ?? new ClientPool(options.timing.now);
    this.#shares = new ConcurrencyShares(options.concurrency, options.timing.startTimer);
  }

  async planBoundaries(
    task: ShardTask,
    { parts, minKeysPerPart }: PlannedParts,
    listener: CopyListener,
    signal: AbortSignal,
  ): Promise<Plan> {
    const { work, checkpoint, source } = task;
    if (work.type !== 'range') return { type: 'planned', boundaries: [] };
    const { client, giveBack } = this.#clients.borrow(source);
    const range = { startAfter: checkpoint ?? work.startAfter, endAt: work.endAt };
    const listing = { bucket: source.bucket, prefix: source.prefix, range, ranges: parts };
    try {
      const call = callContext({ gate: this.#options.gate, signal });
      const { boundaries } = await planRanges(client, { ...listing, minKeysPerRange: minKeysPerPart }, call);
      return { type: 'planned', boundaries };
    } catch (error) {
      return stoppedBy(error, signal, listener);
    } finally {
      giveBack();
    }
  }

  async cleanUp(task: ShardTask, signal: AbortSignal): Promise<CopyEnd> {
    const source = this.#clients.borrow(task.source);
    const target = this.#clients.borrow(task.target);
    try {
      const call = callContext({ gate: this.#options.gate, signal });
      await removeLeftUploads(task, { source: source.client, target: target.client }, call);
      return { type: 'completed' };
    } catch (error) {
      return stoppedBy(error, signal, null);
    } finally {
      source.giveBack();
      target.giveBack();
    }
  }

  copy(task: ShardTask, listener: CopyListener, signal: AbortSignal): CopyRun {
    const source = this.#clients.borrow(task.source);
    const target = this.#clients.borrow(task.target);
    const meter = new WaitMeter(this.#options.gate, this.#options.timing.now);
    const run = begin(task, {
      ...runOptions(task, source, target, listener),
      gate: meter,
      concurrency: this.#options.concurrency,
      signal,
    });
    this.#running.set(run, { bytesRead: 0, bytesWritten: 0 });
    this.#shares.add(run);
    const ended = run.result.then((result) => {
      this.#collect(run);
      this.#running.delete(run);
      this.#shares.remove(run);
      source.giveBack();
      target.giveBack();
      return endOf(result);
    });
    return {
      ended,
      progress: () => progressOf(task, run, meter),
      trouble: () => source.watch.trouble() ?? target.watch.trouble(),
      lastBegun: () => run.snapshot().lastBegun,
      narrow: (endAt) => run.narrow(endAt),
      pause: () => run.pause(),
      resume: () => run.resume(),
      release: () => void run.release(),
    };
  }

  takeTransferredBytes(): Traffic {
    for (const run of this.#running.keys()) this.#collect(run);
    const taken = this.#untaken;
    this.#untaken = { bytesRead: 0, bytesWritten: 0 };
    return taken;
  }

  async close(): Promise<void> {
    await this.#clients.close();
  }

  #collect(run: S3Run): void {
    const { bytesRead, bytesWritten } = run.snapshot().traffic;
    const before = this.#running.get(run);
    if (before === undefined) return;
    this.#untaken.bytesRead += bytesRead - before.bytesRead;
    this.#untaken.bytesWritten += bytesWritten - before.bytesWritten;
    this.#running.set(run, { bytesRead, bytesWritten });
  }
}

function runOptions(
  task: ShardTask,
  source: Borrowed,
  target: Borrowed,
  listener: CopyListener,
): CopyRunOptions & { checkpoint: string | null } {
  const { options, mode, checkpoint, manifest } = task;
  const { dryRun, serverSideCopy, multipartThresholdBytes, partBytes } = options;
  return {
    source: { client: source.client, bucket: task.source.bucket, prefix: task.source.prefix },
    target: { client: target.client, bucket: task.target.bucket, prefix: task.target.prefix },
    mode,
    checkpoint,
    dryRun,
    serverSideCopy: serverSideCopy ? 'auto' : 'never',
    tuning: { multipartThresholdBytes, partBytes },
    ...(manifest === null ? {} : { manifest }),
    abortLeftUploads: task.heldBefore,
    ...(task.heldBefore && task.startedAtMs > 0 ? { copiedSinceMs: task.startedAtMs } : {}),
    onThrottled: (error) => listener.onThrottled(troubleOf(error)),
    onFailure: (failure) => listener.onFailure(failure),
    onPlanned: ({ key, sizeBytes }, action) => listener.onPlanned({ key, sizeBytes, action }),
  };
}

function begin(task: ShardTask, options: CopyRunOptions & { checkpoint: string | null }): S3Run {
  const { work } = task;
  const { filter, checkBy } = task.options;
  // Listed keys passed the filter when their range was listed.
  if (work.type === 'keys') return copyKeys({ ...options, keys: work.keys });
  return copyRange({ ...options, filter, checkBy, range: { startAfter: work.startAfter, endAt: work.endAt } });
}

function progressOf(task: ShardTask, run: S3Run, meter: WaitMeter): CopyProgress {
  const { checkpoint, atCheckpoint, live, manifest, listed, traffic } = run.snapshot();
  const { waitedMs } = meter;
  return {
    ...noProgress(checkpoint, task.options.manifest ? manifest : null),
    atCheckpoint,
    live,
    listed,
    traffic,
    waitedMs,
  };
}

function endOf({ state, error }: CopyResult): CopyEnd {
  if (state === 'completed') return { type: 'completed' };
  return state === 'failed' && error !== null ? endOfError(error) : { type: 'stopped' };
}

function stoppedBy(
  error: unknown,
  signal: AbortSignal,
  listener: CopyListener | null,
): Exclude<CopyEnd, { type: 'completed' }> {
  if (signal.aborted) return { type: 'stopped' };
  if (!(error instanceof S3Error)) throw error;
  if (error.throttle) listener?.onThrottled(troubleOf(error));
  return endOfError(error);
}

/** `internal` is an error of ours, about which the next attempt may know better. */
function endOfError(error: S3Error): Exclude<CopyEnd, { type: 'completed' }> {
  const type = error.retryable || error.code === 'internal' ? 'interrupted' : 'hopeless';
  return { type, trouble: troubleOf(error) };
}

function troubleOf(error: S3Error): CopyTrouble {
  return { code: error.code, message: error.message };
}

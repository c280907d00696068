import { callContext, copyKeys, copyRange, planRanges, S3Error } from '@weir/s3-copy';
import type { CopyRunOptions, CopyResult, OperationGate } from '@weir/s3-copy';
import type {
  CopyEnd,
  CopyEngine,
  CopyListener,
  CopyRun,
  CopyTrouble,
  Plan,
  ShardTask,
} from '../shards/copy-engine.ts';
import { ClientPool } from './client-pool.ts';

export interface S3EngineOptions {
  gate: OperationGate;
  /** Objects under way at once in one shard: 1 or more. */
  concurrencyPerShard: number;
  clients?: ClientPool;
}

type S3Run = ReturnType<typeof copyRange>;

/** Copies shards with `@weir/s3-copy`. */
export class S3Engine implements CopyEngine {
  readonly #options: S3EngineOptions;
  readonly #clients: ClientPool;
  /** Runs under way, with the traffic of theirs that was taken already. */
  readonly #running = new Map<S3Run, { bytesRead: number; bytesWritten: number }>();
  #untaken = { bytesRead: 0, bytesWritten: 0 };

  constructor(options: S3EngineOptions) {
    this.#options = options;
    this.#clients = options.clients ?? new ClientPool();
  }

  async planBoundaries(task: ShardTask, parts: number, listener: CopyListener, signal: AbortSignal): Promise<Plan> {
    const { work, checkpoint, source } = task;
    if (work.type !== 'range') return { type: 'planned', boundaries: [] };
    const { client, giveBack } = this.#clients.borrow(source);
    const range = { startAfter: checkpoint ?? work.startAfter, endAt: work.endAt };
    const listing = { bucket: source.bucket, prefix: source.prefix, range, ranges: parts };
    try {
      const { boundaries } = await planRanges(client, listing, callContext({ gate: this.#options.gate, signal }));
      return { type: 'planned', boundaries };
    } catch (error) {
      if (signal.aborted) return { type: 'stopped' };
      if (!(error instanceof S3Error)) throw error;
      if (error.throttle) listener.onThrottled(troubleOf(error));
      return endOfError(error);
    } finally {
      giveBack();
    }
  }

  copy(task: ShardTask, listener: CopyListener, signal: AbortSignal): CopyRun {
    const source = this.#clients.borrow(task.source);
    const target = this.#clients.borrow(task.target);
    const options: CopyRunOptions & { checkpoint: string | null } = {
      source: { client: source.client, bucket: task.source.bucket, prefix: task.source.prefix },
      target: { client: target.client, bucket: task.target.bucket, prefix: task.target.prefix },
      mode: task.mode,
      gate: this.#options.gate,
      concurrency: this.#options.concurrencyPerShard,
      checkpoint: task.checkpoint,
      abortLeftUploads: task.heldBefore,
      onThrottled: (error) => listener.onThrottled(troubleOf(error)),
      onFailure: (failure) => listener.onFailure(failure),
      signal,
    };
    const { work } = task;
    const run =
      work.type === 'keys'
        ? copyKeys({ ...options, keys: work.keys })
        : copyRange({ ...options, range: { startAfter: work.startAfter, endAt: work.endAt } });
    this.#running.set(run, { bytesRead: 0, bytesWritten: 0 });
    const ended = run.result.then((result) => {
      this.#collect(run);
      this.#running.delete(run);
      source.giveBack();
      target.giveBack();
      return endOf(result);
    });
    return {
      ended,
      progress: () => run.snapshot(),
      pause: () => run.pause(),
      resume: () => run.resume(),
      release: () => void run.release(),
    };
  }

  takeTransferredBytes(): { bytesRead: number; bytesWritten: number } {
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

function endOf({ state, error }: CopyResult): CopyEnd {
  if (state === 'completed') return { type: 'completed' };
  return state === 'failed' && error !== null ? endOfError(error) : { type: 'stopped' };
}

/** `internal` is an error of ours, about which the next attempt may know better. */
function endOfError(error: S3Error): Exclude<CopyEnd, { type: 'completed' }> {
  const type = error.retryable || error.code === 'internal' ? 'interrupted' : 'hopeless';
  return { type, trouble: troubleOf(error) };
}

function troubleOf(error: S3Error): CopyTrouble {
  return { code: error.code, message: error.message };
}

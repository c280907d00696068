import type { ShardTrouble } from '@weir/protocol';
import {
  noProgress,
  type CopyEnd,
  type CopyEngine,
  type CopyListener,
  type CopyProgress,
  type CopyRun,
  type Plan,
  type PlannedParts,
  type ShardTask,
} from '../../src/shards/copy-engine.ts';

/** One copy of the fake engine: the test decides how far it is and how it ends. */
export class FakeCopy implements CopyRun {
  readonly task: ShardTask;
  readonly listener: CopyListener;
  readonly signal: AbortSignal;
  readonly ended: Promise<CopyEnd>;
  /** What `progress()` answers. */
  reached: CopyProgress;
  paused = false;
  released = false;
  #end: ((end: CopyEnd) => void) | undefined;

  constructor(task: ShardTask, listener: CopyListener, signal: AbortSignal) {
    this.task = structuredClone(task);
    this.listener = listener;
    this.signal = signal;
    this.reached = noProgress(task.checkpoint, task.manifest);
    this.ended = new Promise((resolve) => (this.#end = resolve));
    signal.addEventListener('abort', () => this.end({ type: 'stopped' }));
  }

  end(end: CopyEnd): void {
    this.#end?.(end);
  }

  /** Why requests fail, as the test has it; and the keys at which the copy was told to end. */
  failing: ShardTrouble | null = null;
  begun: string | null = null;
  readonly ends: string[] = [];

  trouble(): ShardTrouble | null {
    return this.failing;
  }

  lastBegun(): string | null {
    return this.begun;
  }

  narrow(endAt: string): boolean {
    if (this.begun !== null && this.begun > endAt) return false;
    this.ends.push(endAt);
    return true;
  }

  progress(): CopyProgress {
    return this.reached;
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
  }

  release(): void {
    this.released = true;
  }
}

/** Copies nothing by itself. */
export class FakeEngine implements CopyEngine {
  readonly copies: FakeCopy[] = [];
  plan: Plan | Error = { type: 'planned', boundaries: [] };
  readonly plans: PlannedParts[] = [];
  readonly cleaned: ShardTask[] = [];
  cleanUpEnds: CopyEnd[] = [{ type: 'completed' }];
  closed = false;

  get last(): FakeCopy {
    const last = this.copies.at(-1);
    if (last === undefined) throw new Error('nothing was copied');
    return last;
  }

  async planBoundaries(_: ShardTask, parts: PlannedParts): Promise<Plan> {
    this.plans.push(parts);
    if (this.plan instanceof Error) throw this.plan;
    return this.plan;
  }

  copy(task: ShardTask, listener: CopyListener, signal: AbortSignal): CopyRun {
    const copy = new FakeCopy(task, listener, signal);
    this.copies.push(copy);
    return copy;
  }

  async cleanUp(task: ShardTask): Promise<CopyEnd> {
    this.cleaned.push(structuredClone(task));
    return this.cleanUpEnds.shift() ?? { type: 'completed' };
  }

  takeTransferredBytes(): { bytesRead: number; bytesWritten: number } {
    return { bytesRead: 0, bytesWritten: 0 };
  }

  async close(): Promise<void> {
    this.closed = true;
  }
}

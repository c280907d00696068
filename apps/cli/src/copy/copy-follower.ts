import { callContext, type CopySide, type ListedObject, type OperationGate } from '@weir/s3-copy';
import { Progress } from '../output/progress.ts';
import type { Terminal } from '../output/terminal.ts';
import type { CopyFiles } from './copy-files.ts';
import type { CopySession } from './copy-session.ts';
import { countObjects, type Total } from './count.ts';
import { RateMeter } from './rate-meter.ts';
import { objectsDone, progressLabel } from './report.ts';
import type { TpsBudget } from './tps-budget.ts';

const LOOK_MS = 200;
const SAVE_MS = 5_000;

export interface FollowerOptions {
  readonly session: CopySession;
  readonly budget: TpsBudget;
  readonly files: CopyFiles;
  readonly flags: { tps?: number; count?: boolean; retry?: string; quiet: boolean; dryRun: boolean };
  readonly terminal: Terminal;
  readonly now: () => number;
}

/** An object costs about as much time as this many bytes, so that neither many small nor few large ones are forgotten. */
const OBJECT_BYTES = 1024 ** 2;

/** How much of the work is done, 0–1; null while the total is not known. `totalBytes`: 0 while only objects are counted. */
export function shareDone(done: Total, total: number | null, totalBytes: number): number | null {
  if (total === null) return null;
  if (total === 0) return 1;
  const bytes = Math.min(done.bytes, totalBytes) / OBJECT_BYTES;
  return Math.min(1, (done.objects + bytes) / (total + totalBytes / OBJECT_BYTES));
}

/** Shows how far a copy is, and saves it, while it goes on. */
export class CopyFollower {
  readonly #options: FollowerOptions;
  readonly #progress: Progress;
  readonly #meter = new RateMeter();
  readonly #stop = new AbortController();
  #total: Total | null = null;
  #shareAtStart = 0;
  #savedAtMs = 0;
  #saveFailed = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#progress = new Progress(options.terminal, { now: options.now, silent: options.flags.quiet });
  }

  /** @param passes whether an object of the source is copied at all; for the total */
  start(source: CopySide, passes: (object: ListedObject) => boolean): void {
    const { flags, terminal, now } = this.#options;
    this.#savedAtMs = now();
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
    if (flags.quiet || flags.retry !== undefined || !(flags.count ?? terminal.interactive)) return;
    void this.#count(source, passes);
  }

  /** Writes a line that the progress does not overwrite. */
  say(line: string): void {
    this.#progress.clear();
    this.#options.terminal.err(`${line}\n`);
  }

  /** Ends the line of progress; nothing is saved any more. Can be called twice. */
  stop(): void {
    if (this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
    this.#stop.abort();
    this.#progress.clear();
  }

  #look(): void {
    const { session, budget, flags, now } = this.#options;
    const progress = session.progress();
    const use = budget.use();
    const done = objectsDone(progress.counters);
    this.#meter.add({
      atMs: now(),
      objectsDone: done,
      bytes: progress.bytesMoved,
      chargedOps: use.chargedOps,
    });
    // Once everything is listed, the listing itself is the total.
    const listed = progress.counters.objectsListed - progress.counters.objectsExcluded;
    const total = progress.listed ? listed : (this.#total?.objects ?? null);
    const share = shareDone({ objects: done, bytes: progress.bytesMoved }, total, this.#total?.bytes ?? 0);
    const about = {
      total,
      parkedOps: use.parkedOps,
      tpsLimit: flags.tps ?? null,
      etaMs: this.#meter.etaMs(share, this.#shareAtStart),
    };
    this.#progress.update(progressLabel(progress, this.#meter.rates(), about), share);
    this.#save();
  }

  #save(): void {
    const { files, session, now } = this.#options;
    if (this.#saveFailed || now() - this.#savedAtMs < SAVE_MS) return;
    this.#savedAtMs = now();
    files.save(session.state()).catch((error: unknown) => {
      // Said once; the copy goes on, and its end says it again.
      this.#saveFailed = true;
      this.say(`Warning: ${error instanceof Error ? error.message : String(error)}`);
    });
  }

  async #count(source: CopySide, passes: (object: ListedObject) => boolean): Promise<void> {
    const { budget, session } = this.#options;
    const startedWith = objectsDone(session.progress().counters);
    const gate: OperationGate = { charge: (operation, attempt, signal) => budget.charge(operation, attempt, signal) };
    const call = callContext({ gate, signal: this.#stop.signal });
    try {
      const total = await countObjects(source, { startAfter: null, endAt: null }, passes, call);
      this.#shareAtStart = total.objects === 0 ? 0 : startedWith / total.objects;
      this.#total = total;
    } catch {
      // The copy itself says what is wrong with the source; without a total there is just no ETA.
    }
  }
}

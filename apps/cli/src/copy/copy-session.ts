/*
 * One copy from its start to its end:
 *
 *   running ──503 that retries could not absorb──▶ held off ──30–300 s──▶ running
 *   running ──an endpoint does not answer──▶ waiting ──1–60 s──▶ running, from the checkpoint
 *   running, held off, waiting ──interrupted──▶ ended (what is nearly done finishes, uploads are aborted)
 *   running ──done──▶ ended · ──no retry can help, or no progress for too long──▶ ended
 */
import { setTimeout as delay } from 'node:timers/promises';
import {
  copyKeys,
  copyRange,
  emptyCounters,
  type CopyCounters,
  type CopyFailure,
  type CopyRangeOptions,
  type CopyRun,
  type ManifestEntry,
  type ManifestState,
  type S3Error,
} from '@weir/s3-copy';
import type { CopyState } from './state-file.ts';

/** What the session decides itself is left out. */
export type CopyOptions = Omit<
  CopyRangeOptions,
  'range' | 'checkpoint' | 'onThrottled' | 'onFailure' | 'onEntry' | 'manifest' | 'abortLeftUploads' | 'signal'
>;

export interface SessionOptions {
  readonly copy: CopyOptions;
  /** Where to begin; see `freshState`. */
  readonly state: CopyState;
  /** Copy only `state.pendingKeys`. */
  readonly keysOnly: boolean;
  /** An earlier process may have left uploads at the target. */
  readonly goOn: boolean;
  /** Bounds of a pause after a 503, in ms. */
  readonly holdoffMs: readonly [low: number, high: number];
  /** How long endpoints that do not answer are borne without any progress, in ms. */
  readonly patienceMs: number;
  /** The copy ends when more objects than this have failed. */
  readonly maxFailures: number;
  readonly onFailure: (failure: CopyFailure) => void;
  readonly onEntry: (entry: ManifestEntry) => void;
  readonly now: () => number;
  readonly random: () => number;
}

export type SessionEnd =
  | { readonly type: 'completed' | 'interrupted' | 'too-many-failures' }
  | { readonly type: 'failed'; readonly error: S3Error };

/** What a copy is doing at this moment. */
export interface SessionProgress {
  readonly counters: CopyCounters;
  /** Bytes of finished objects, and of those under way; a large object moves long before it counts as copied. */
  readonly bytesMoved: number;
  readonly inFlight: number;
  /** Every object has begun: no more will be listed. */
  readonly listed: boolean;
  /** Time until a holdoff ends, in ms; null when there is none. */
  readonly holdoffMs: number | null;
  /** Why nothing is under way: an endpoint does not answer, and it is tried again later. */
  readonly trouble: string | null;
  readonly holdoffs: number;
}

const MAX_WAIT_MS = 60_000;

export class CopySession {
  readonly #options: SessionOptions;
  readonly #failures: CopyFailure[];
  /** Done for good by runs that have ended. */
  #base: CopyCounters;
  #checkpoint: string | null;
  #pendingKeys: readonly string[];
  #manifest: ManifestState;
  #listingDone: boolean;
  #run: CopyRun | null = null;
  #phase: 'range' | 'keys' = 'range';
  #holdoffEndsAtMs: number | null = null;
  #holdoffs = 0;
  #trouble: string | null = null;
  #ending: 'interrupted' | 'too-many-failures' | null = null;
  readonly #wait = new AbortController();

  constructor(options: SessionOptions) {
    const { state } = options;
    this.#options = options;
    this.#checkpoint = state.checkpoint;
    this.#listingDone = state.listingDone;
    this.#pendingKeys = state.pendingKeys;
    this.#manifest = state.manifest;
    this.#failures = [...state.failures];
    this.#base = { ...state.counters };
    if (options.keysOnly || state.listingDone) this.#tryFailedAgain();
  }

  async run(): Promise<SessionEnd> {
    const keysFirst = this.#options.keysOnly || this.#listingDone;
    this.#phase = keysFirst ? 'keys' : 'range';
    const error = await this.#persist();
    this.#run = null;
    if (this.#ending !== null) return { type: this.#ending };
    if (error !== null) return { type: 'failed', error };
    this.#listingDone = true;
    return { type: 'completed' };
  }

  /** Ends it at its checkpoint; called again, at once. In both cases no upload is left behind. */
  interrupt(): void {
    if (this.#ending === 'interrupted') void this.#run?.abandon();
    this.#ending = 'interrupted';
    this.#wait.abort();
    void this.#run?.release();
  }

  progress(): SessionProgress {
    const live = this.#run?.snapshot();
    const counters = live === undefined ? { ...this.#base } : sumOf(this.#base, live.live);
    return {
      counters,
      bytesMoved: Math.max(counters.bytesCopied, this.#base.bytesCopied + (live?.traffic.bytesWritten ?? 0)),
      inFlight: live?.inFlight ?? 0,
      listed: live?.listed ?? false,
      holdoffMs: this.#holdoffEndsAtMs === null ? null : Math.max(0, this.#holdoffEndsAtMs - this.#options.now()),
      trouble: this.#trouble,
      holdoffs: this.#holdoffs,
    };
  }

  /** What another process needs to go on from here. */
  state(): CopyState {
    const snapshot = this.#run?.snapshot();
    const checkpoint = snapshot?.checkpoint ?? this.#checkpoint;
    const inKeys = this.#phase === 'keys';
    return {
      ...this.#options.state,
      listingDone: this.#listingDone,
      checkpoint: inKeys ? this.#checkpoint : checkpoint,
      pendingKeys: inKeys ? keysAfter(this.#pendingKeys, snapshot?.checkpoint ?? null) : [],
      counters: snapshot === undefined ? { ...this.#base } : sumOf(this.#base, snapshot.atCheckpoint),
      failures: this.#failures,
      manifest: snapshot?.manifest ?? this.#manifest,
    };
  }

  get failures(): readonly CopyFailure[] {
    return this.#failures;
  }

  /** The objects that failed are listed and counted anew. */
  #tryFailedAgain(): void {
    const again = this.#failures.splice(0).map(({ key }) => key);
    this.#pendingKeys = [...new Set([...this.#pendingKeys, ...again])];
    this.#base.objectsFailed = Math.max(0, this.#base.objectsFailed - again.length);
    this.#base.objectsListed = Math.max(0, this.#base.objectsListed - again.length);
  }

  /** Runs until it is done or nothing can be done; waits while an endpoint does not answer. Null when it is done. */
  async #persist(): Promise<S3Error | null> {
    const { now, random, patienceMs } = this.#options;
    let since = now();
    let waits = 0;
    let mayHaveLeft = this.#options.goOn;
    for (;;) {
      if (this.#ending !== null) return null;
      const run = this.#start(mayHaveLeft);
      this.#run = run;
      const { state, error, snapshot } = await run.result;
      const progressed = snapshot.checkpoint !== null && snapshot.checkpoint !== this.#checkpointOfPhase();
      this.#keep(run);
      if (this.#ending !== null || state === 'completed' || error === null) return null;
      if (!error.retryable) return error;
      if (progressed) {
        since = now();
        waits = 0;
      }
      if (now() - since >= patienceMs) return error;
      mayHaveLeft = true;
      waits += 1;
      this.#trouble = error.message;
      const ms = Math.min(MAX_WAIT_MS, 1_000 * 2 ** Math.min(waits, 10)) * (0.5 + random() / 2);
      await delay(ms, undefined, { signal: this.#wait.signal }).catch(() => undefined);
      this.#trouble = null;
    }
  }

  #start(mayHaveLeft: boolean): CopyRun {
    const { copy } = this.#options;
    const common = {
      ...copy,
      // A dry run changes nothing, and so does its successor.
      abortLeftUploads: mayHaveLeft && copy.dryRun !== true,
      onThrottled: () => this.#holdOff(),
      onFailure: (failure: CopyFailure) => this.#failed(failure),
      onEntry: this.#options.onEntry,
      manifest: this.#manifest,
    };
    return this.#phase === 'keys'
      ? copyKeys({ ...common, keys: this.#pendingKeys })
      : copyRange({
          ...common,
          checkpoint: this.#checkpoint,
          ...(mayHaveLeft ? { copiedSinceMs: this.#options.state.startedAtMs } : {}),
        });
  }

  #checkpointOfPhase(): string | null {
    return this.#phase === 'keys' ? null : this.#checkpoint;
  }

  /** Takes over what a run that ended has done for good. */
  #keep(run: CopyRun): void {
    const { checkpoint, atCheckpoint, manifest } = run.snapshot();
    this.#manifest = manifest;
    this.#base = sumOf(this.#base, atCheckpoint);
    if (this.#phase === 'keys') this.#pendingKeys = keysAfter(this.#pendingKeys, checkpoint);
    else this.#checkpoint = checkpoint;
    this.#run = null;
  }

  #failed(failure: CopyFailure): void {
    this.#failures.push(failure);
    this.#options.onFailure(failure);
    if (this.#failures.length <= this.#options.maxFailures || this.#ending !== null) return;
    this.#ending = 'too-many-failures';
    void this.#run?.release();
  }

  #holdOff(): void {
    const { holdoffMs, now, random } = this.#options;
    const [low, high] = holdoffMs;
    const ms = low + random() * (high - low);
    this.#holdoffs += 1;
    this.#holdoffEndsAtMs = now() + ms;
    const run = this.#run;
    void delay(ms, undefined, { signal: this.#wait.signal })
      .then(() => {
        this.#holdoffEndsAtMs = null;
        run?.resume();
      })
      .catch(() => undefined);
  }
}

function sumOf(first: CopyCounters, second: CopyCounters): CopyCounters {
  const sum: CopyCounters = emptyCounters();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the object just made
  for (const name of Object.keys(sum) as (keyof CopyCounters)[]) sum[name] = first[name] + second[name];
  return sum;
}

/** What is left of a list once everything up to `checkpoint` is done. */
function keysAfter(keys: readonly string[], checkpoint: string | null): readonly string[] {
  return checkpoint === null ? keys : keys.slice(keys.indexOf(checkpoint) + 1);
}

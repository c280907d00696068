/*
 * What `--resume FILE` keeps, so that the same command goes on where it was interrupted or killed. Written to a file
 * beside it and renamed, so that a reader finds the old state or the new one and nothing between. It is removed when a
 * copy has ended without failures, so that the same command then begins anew.
 */
import { open, readFile, rename, rm } from 'node:fs/promises';
import { EMPTY_MANIFEST, type CopyCounters, type CopyFailure, type ManifestState } from '@weir/s3-copy';
import { CommandError } from '../output/command-error.ts';

const VERSION = 1;

export interface CopyState {
  readonly version: typeof VERSION;
  /** Fingerprint of what is copied from where to where and how; the state of one copy is of no use to another. */
  readonly about: string;
  /** When the copy began, in ms since 1970. */
  readonly startedAtMs: number;
  /** Whether everything below the prefix was done; then only `pendingKeys` are left, and what failed. */
  readonly listingDone: boolean;
  /** Last key in order up to which everything is done; null: none. */
  readonly checkpoint: string | null;
  /** Keys still to be tried again. */
  readonly pendingKeys: readonly string[];
  /** Counters of what is done for good. */
  readonly counters: CopyCounters;
  readonly failures: readonly CopyFailure[];
  /** Chain over everything that is done. */
  readonly manifest: ManifestState;
  /** How long the files of `--failed` and `--manifest` were, in bytes. */
  readonly failedBytes: number;
  readonly manifestBytes: number;
}

/** A state that has not begun. */
export function freshState(about: string, counters: CopyCounters, startedAtMs: number): CopyState {
  return {
    version: VERSION,
    about,
    startedAtMs,
    listingDone: false,
    checkpoint: null,
    pendingKeys: [],
    counters,
    failures: [],
    manifest: EMPTY_MANIFEST,
    failedBytes: 0,
    manifestBytes: 0,
  };
}

/**
 * Reads a state; null when the file does not exist.
 * @throws CommandError when it is none, or belongs to another copy
 */
export async function readState(file: string, about: string): Promise<CopyState | null> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw new CommandError('file-unreadable', `cannot read the state in ${file}`, { cause: error });
  });
  if (text === null) return null;
  const state = parseState(text);
  if (state === null) {
    throw new CommandError('state-invalid', `${file} does not hold the state of a copy`, {
      remedy: 'Name another file with --resume, or remove this one to begin anew.',
    });
  }
  if (state.about !== about) {
    throw new CommandError('state-of-another-copy', `${file} belongs to another copy: its places or options differ`, {
      remedy: 'Run the command that wrote it again, or name another file with --resume.',
    });
  }
  return state;
}

function parseState(text: string): CopyState | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  return isState(value) ? value : null;
}

function isState(value: unknown): value is CopyState {
  if (typeof value !== 'object' || value === null) return false;
  const state: Partial<Record<keyof CopyState, unknown>> = value;
  return (
    state.version === VERSION &&
    typeof state.about === 'string' &&
    typeof state.startedAtMs === 'number' &&
    typeof state.listingDone === 'boolean' &&
    (state.checkpoint === null || typeof state.checkpoint === 'string') &&
    Array.isArray(state.pendingKeys) &&
    state.pendingKeys.every((key) => typeof key === 'string') &&
    typeof state.counters === 'object' &&
    state.counters !== null &&
    Object.values(state.counters).every((count) => typeof count === 'number') &&
    Array.isArray(state.failures) &&
    isChain(state.manifest) &&
    typeof state.failedBytes === 'number' &&
    typeof state.manifestBytes === 'number'
  );
}

function isChain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { digest, entries }: Partial<Record<keyof ManifestState, unknown>> = value;
  return typeof digest === 'string' && /^[0-9a-f]{64}$/.test(digest) && typeof entries === 'number';
}

/** Keeps the state of one copy in a file. Writes are one after the other. */
export class StateFile {
  readonly #file: string;
  #writing: Promise<void> = Promise.resolve();

  constructor(file: string) {
    this.#file = file;
  }

  /** @throws CommandError when it cannot be written */
  write(state: CopyState): Promise<void> {
    return this.#afterOthers(async () => {
      const beside = `${this.#file}.new`;
      const handle = await open(beside, 'w', 0o600);
      try {
        await handle.writeFile(`${JSON.stringify(state)}\n`);
        // Renamed before its content is on the disk, it could be an empty file after a power cut.
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(beside, this.#file);
    });
  }

  /** Removes it, also when it does not exist. */
  remove(): Promise<void> {
    return this.#afterOthers(() => rm(this.#file, { force: true }));
  }

  #afterOthers(work: () => Promise<void>): Promise<void> {
    const written = this.#writing.then(work).catch((error: unknown) => {
      throw new CommandError('file-unwritable', `cannot keep the state in ${this.#file}`, {
        remedy: 'Name a file in a folder that may be written with --resume.',
        cause: error,
      });
    });
    this.#writing = written.catch(() => undefined);
    return written;
  }
}

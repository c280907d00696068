import { addCounters, emptyCounters } from './counters.ts';
import type { CopyCounters } from './counters.ts';
import type { S3Error } from './errors.ts';
import { EMPTY_MANIFEST, ManifestChain, manifestLine } from './manifest.ts';
import type { ManifestEntry, ManifestState } from './manifest.ts';

/** An object that could not be copied. */
export interface CopyFailure {
  key: string;
  /** Named reason, such as `NoSuchKey` or `checksum-mismatch`; at most 64 characters. */
  code: string;
  message: string;
  requestId: string | null;
}

/** Longest key in bytes, and longest texts in characters, that a report carries. */
const MAX_KEY_BYTES = 1_024;
const MAX_MESSAGE_LENGTH = 500;
const MAX_REQUEST_ID_LENGTH = 128;

/** A failure as it is reported, within the bounds of a report. */
export function failureOf(key: string, error: S3Error): CopyFailure {
  return {
    key: withinBytes(key, MAX_KEY_BYTES),
    code: error.code,
    message: error.reason.slice(0, MAX_MESSAGE_LENGTH),
    requestId: error.requestId?.slice(0, MAX_REQUEST_ID_LENGTH) ?? null,
  };
}

/** Only keys that are no valid UTF-8 are too long: each of their bad bytes is shown as a character of three. */
function withinBytes(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const bytes = Buffer.from(text);
  let end = maxBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end).toString('utf8');
}

/** An object under way, in the order of its listing. */
export interface Ticket {
  readonly key: string;
  /** false: the key cannot be written down, so a checkpoint cannot stand on it. */
  readonly keyIsExact: boolean;
  /** What it adds to the counters once it is done; null until then. */
  result: CopyCounters | null;
  failure: CopyFailure | null;
  entry: ManifestEntry | null;
}

/** What becomes known when the checkpoint passes an object. */
export interface PassedObject {
  failure?: CopyFailure;
  /** Absent: the manifest does not name it. */
  entry?: ManifestEntry;
}

/** Who hears of what the checkpoint passes, in order. */
export interface CheckpointListener {
  onFailure?: (failure: CopyFailure) => void;
  onEntry?: (entry: ManifestEntry) => void;
}

/** Room between two compactions of the queue of tickets. */
const COMPACT_AT = 1_024;

/**
 * Follows which objects are done, and up to which key everything is. Objects finish in any order; the checkpoint only
 * moves over objects that are all done, so a successor that continues after it misses nothing.
 * Counters are kept twice: as of now, and as of the checkpoint. Failures are handed on when the checkpoint passes
 * them: what lies beyond it will be done again, and may then succeed.
 */
export class CheckpointTracker {
  readonly #listener: CheckpointListener;
  readonly #manifest: ManifestChain;
  #tickets: Ticket[] = [];
  #head = 0;
  #checkpoint: string | null;
  readonly #live: CopyCounters = emptyCounters();
  readonly #atCheckpoint: CopyCounters = emptyCounters();
  /** Costs of listing, which belong to no object; they count from the next object on. */
  #overhead: CopyCounters = emptyCounters();

  /** @param manifest the chain that belongs to `checkpoint`. Default: one without entries. */
  constructor(checkpoint: string | null, listener: CheckpointListener, manifest: ManifestState = EMPTY_MANIFEST) {
    this.#checkpoint = checkpoint;
    this.#listener = listener;
    this.#manifest = new ManifestChain(manifest);
  }

  /** Last key in order up to which everything is done; null when nothing is. */
  get checkpoint(): string | null {
    return this.#checkpoint;
  }

  /** Objects that began and do not lie behind the checkpoint. */
  get outstanding(): number {
    return this.#tickets.length - this.#head;
  }

  /** Counters as of now. */
  live(): CopyCounters {
    return { ...this.#live };
  }

  /** Counters of what lies up to the checkpoint. */
  atCheckpoint(): CopyCounters {
    return { ...this.#atCheckpoint };
  }

  /** The chain over the objects up to the checkpoint. */
  manifest(): ManifestState {
    return this.#manifest.state();
  }

  /** Begins the next object of the listing. */
  begin(key: string, keyIsExact = true): Ticket {
    const ticket: Ticket = { key, keyIsExact, result: null, failure: null, entry: null };
    this.#tickets.push(ticket);
    this.#live.objectsListed++;
    return ticket;
  }

  /** Adds what was spent on an object before it is done, so that the live counters move. */
  addOverhead(more: { parkedMs: number; retries: number }): void {
    this.#overhead.parkedMs += more.parkedMs;
    this.#overhead.retries += more.retries;
    this.#live.parkedMs += more.parkedMs;
    this.#live.retries += more.retries;
  }

  /** Ends an object. `result` without `objectsListed`. */
  finish(ticket: Ticket, result: CopyCounters, passed: PassedObject = {}): void {
    if (ticket.result !== null) throw new Error(`finished twice: ${ticket.key}`);
    addCounters(this.#live, result);
    ticket.result = { ...result, objectsListed: 1 };
    ticket.failure = passed.failure ?? null;
    ticket.entry = passed.entry ?? null;
    this.#advance();
  }

  #advance(): void {
    for (let ticket = this.#tickets[this.#head]; ticket?.result; ticket = this.#tickets[this.#head]) {
      this.#head++;
      if (ticket.keyIsExact) this.#checkpoint = ticket.key;
      addCounters(this.#atCheckpoint, ticket.result);
      addCounters(this.#atCheckpoint, this.#overhead);
      this.#overhead = emptyCounters();
      if (ticket.failure !== null) this.#listener.onFailure?.(ticket.failure);
      if (ticket.entry !== null) {
        this.#manifest.add(manifestLine(ticket.entry));
        this.#listener.onEntry?.(ticket.entry);
      }
    }
    if (this.#head >= COMPACT_AT && this.#head * 2 >= this.#tickets.length) {
      this.#tickets = this.#tickets.slice(this.#head);
      this.#head = 0;
    }
  }
}

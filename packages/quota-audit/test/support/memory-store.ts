import { isInteger } from '../../src/findings/judge.ts';
import { matchesGlob } from '../../src/names/glob.ts';
import type { AuditedStore, Change, Look, LookRequest, Outcome, Page } from '../../src/index.ts';

/** An entry of the model. */
export interface Entry {
  value: string | null;
  deadlineMs: number | undefined;
}

/** A store in memory that behaves as the interface says; for tests of what stands above it. */
export class MemoryAuditedStore implements AuditedStore {
  readonly kind = 'memory';
  readonly resumable: boolean;
  readonly entries: Map<string, Entry>;
  nowMs: number;
  changes = 0;
  readonly #pageKeys: number;

  constructor(entries: Map<string, Entry>, nowMs: number, { pageKeys = 10, resumable = true } = {}) {
    this.entries = entries;
    this.nowMs = nowMs;
    this.#pageKeys = pageKeys;
    this.resumable = resumable;
  }

  // oxlint-disable-next-line require-await -- the interface is asynchronous
  async *list(from: string | undefined, match: string | undefined): AsyncGenerator<Page, void, undefined> {
    const keys = [...this.entries.keys()].filter((key) => match === undefined || matchesGlob(match, key));
    for (let at = Number(from ?? 0); at < keys.length; at += this.#pageKeys) {
      const end = at + this.#pageKeys;
      const page = keys.slice(at, end).map((key) => ({ key, node: 'm' }));
      yield { keys: page, next: this.resumable && end < keys.length ? String(end) : undefined };
    }
  }

  look(requests: readonly LookRequest[]): Promise<(Look | undefined)[]> {
    return Promise.resolve(
      requests.map(({ key, sized }) => {
        const entry = this.#live(key);
        return entry === undefined ? undefined : { ...entry, sizeBytes: sized ? 100 : undefined };
      }),
    );
  }

  count(): Promise<number> {
    return Promise.resolve(this.entries.size);
  }

  now(): Promise<number> {
    return Promise.resolve(this.nowMs);
  }

  ping(): Promise<void> {
    return Promise.resolve();
  }

  change(changes: readonly Change[]): Promise<Outcome[]> {
    return Promise.resolve(changes.map((change) => this.#apply(change)));
  }

  #live(key: string): Entry | undefined {
    const entry = this.entries.get(key);
    return entry?.deadlineMs !== undefined && entry.deadlineMs <= this.nowMs ? undefined : entry;
  }

  #apply(change: Change): Outcome {
    const entry = this.#live(change.key);
    if (entry === undefined) return 'gone';
    if (entry.value === null || !isInteger(entry.value)) return 'changed';
    if (change.do === 'date') {
      const isLater = entry.deadlineMs !== undefined && entry.deadlineMs > change.deadlineMs;
      if (entry.deadlineMs !== undefined && (change.only === 'undated' || !isLater)) return 'kept';
      entry.deadlineMs = change.deadlineMs;
    } else {
      if (entry.value !== change.value) return 'changed';
      if ((entry.deadlineMs === undefined) !== change.undated) return 'kept';
      this.entries.delete(change.key);
    }
    this.changes += 1;
    return 'done';
  }
}

/**
 * Which entries are due, in O(1) per entry: entries of one second share a bucket (a linked list through the entries, so that a
 * removed one leaves nothing behind), and a binary heap orders the seconds. Period counters share few deadlines, so the
 * heap stays tiny.
 */

/** What an entry carries so that it can be found when it is due. The links belong to `DeadlineBuckets`. */
export interface Dated {
  /** Epoch ms. */
  readonly deadline: number;
  previous: this | undefined;
  next: this | undefined;
}

const BUCKET_MS = 1_000;

/** Oldest entry first: when one has to make room, a flood of new entries must not push out each other and count nothing. */
interface Bucket<E> {
  readonly second: number;
  first: E | undefined;
  last: E | undefined;
}

/** Entries by the second in which they are due. */
export class DeadlineBuckets<E extends Dated> {
  readonly #buckets = new Map<number, Bucket<E>>();
  /** Binary min-heap of seconds, one per bucket. */
  readonly #heap: number[] = [];

  /** Files an entry under its deadline. */
  add(entry: E): void {
    const second = secondOf(entry.deadline);
    let bucket = this.#buckets.get(second);
    if (bucket === undefined) {
      bucket = { second, first: undefined, last: undefined };
      this.#buckets.set(second, bucket);
      pushHeap(this.#heap, second);
    }
    entry.previous = bucket.last;
    entry.next = undefined;
    if (bucket.last === undefined) bucket.first = entry;
    else bucket.last.next = entry;
    bucket.last = entry;
  }

  /** Forgets an entry; its deadline must be the one it was added with. */
  remove(entry: E): void {
    const bucket = this.#buckets.get(secondOf(entry.deadline));
    if (entry.previous !== undefined) entry.previous.next = entry.next;
    else if (bucket?.first === entry) bucket.first = entry.next;
    if (entry.next !== undefined) entry.next.previous = entry.previous;
    else if (bucket?.last === entry) bucket.last = entry.previous;
    entry.previous = undefined;
    entry.next = undefined;
  }

  /** The entry that is due first (to the second; of those the one filed first); `undefined` when there is none. */
  soonest(): E | undefined {
    return this.#earliest()?.first;
  }

  /** Takes out one entry whose second is over at `nowMs`; `undefined` when there is none. */
  popDue(nowMs: number): E | undefined {
    const bucket = this.#earliest();
    if (bucket === undefined || bucket.second * BUCKET_MS > nowMs) return undefined;
    const entry = bucket.first;
    if (entry !== undefined) this.remove(entry);
    return entry;
  }

  /** When the earliest bucket is over, in epoch ms; `undefined` when nothing is filed. */
  nextDueMs(): number | undefined {
    const bucket = this.#earliest();
    return bucket === undefined ? undefined : bucket.second * BUCKET_MS;
  }

  clear(): void {
    this.#buckets.clear();
    this.#heap.length = 0;
  }

  /** The earliest bucket that holds something; empty ones before it are dropped. */
  #earliest(): Bucket<E> | undefined {
    for (;;) {
      const second = this.#heap[0];
      if (second === undefined) return undefined;
      const bucket = this.#buckets.get(second);
      if (bucket?.first !== undefined) return bucket;
      popHeap(this.#heap);
      this.#buckets.delete(second);
    }
  }
}

/** An entry is swept once its whole second is over: never early. */
function secondOf(deadlineMs: number): number {
  return Math.ceil(deadlineMs / BUCKET_MS);
}

function pushHeap(heap: number[], value: number): void {
  let at = heap.push(value) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = heap[parent] ?? 0;
    if (above <= value) break;
    heap[at] = above;
    at = parent;
  }
  heap[at] = value;
}

function popHeap(heap: number[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    const right = child + 1;
    if (right < heap.length && (heap[right] ?? 0) < (heap[child] ?? 0)) child = right;
    const below = heap[child] ?? 0;
    if (below >= last) break;
    heap[at] = below;
    at = child;
  }
  heap[at] = last;
}

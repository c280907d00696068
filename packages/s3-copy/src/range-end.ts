import { compareUtf8 } from './utf8-order.ts';

/** Where a run stops in its listing: the end may come nearer while it runs, so that others can take the rest. */
export class RangeEnd {
  #endAt: string | null = null;
  #last: string | null = null;

  /** Last key that was begun; null before the first. */
  get last(): string | null {
    return this.#last;
  }

  /** Asks for the next key of the listing, in order. False: it lies behind the end, and so do all that follow. */
  begins(key: string): boolean {
    if (this.#endAt !== null && compareUtf8(key, this.#endAt) > 0) return false;
    this.#last = key;
    return true;
  }

  /** Ends the range at a key, which still belongs to it. False: the run is past it already, and nothing changes. */
  narrow(endAt: string): boolean {
    if (this.#last !== null && compareUtf8(this.#last, endAt) > 0) return false;
    if (this.#endAt === null || compareUtf8(endAt, this.#endAt) < 0) this.#endAt = endAt;
    return true;
  }
}

import type { Cancellation } from './cancellation.ts';
import type { CopyPlan } from './copy-plan.ts';
import { etagIsOpaque, md5OfEtag } from './etag.ts';
import type { ObjectFacts } from './operations/objects.ts';
import type { PartLayout } from './part-layout.ts';
import { createMd5 } from './sigv4.ts';

/**
 * MD5 of a whole object whose parts arrive in any order. Parts that came early wait in memory until it is their turn;
 * none may begin more than `window` parts ahead, so that no more than these wait.
 */
export class OrderedDigest {
  readonly #md5 = createMd5();
  readonly #window: number;
  readonly #early = new Map<number, readonly Buffer[]>();
  #next = 1;
  #waiting: { partNumber: number; wake: () => void }[] = [];

  constructor(window: number) {
    this.#window = Math.max(1, window);
  }

  /** Undefined when the part may begin; else resolves when it may, and rejects when cancelled. */
  room(partNumber: number, cancellation: Cancellation): undefined | Promise<void> {
    if (this.#mayBegin(partNumber)) return undefined;
    return new Promise((resolve, reject) => {
      const forget = cancellation.onCancel(reject);
      const wake = (): void => {
        forget();
        resolve();
      };
      this.#waiting.push({ partNumber, wake });
    });
  }

  /** Takes a part that is complete and right; each number once. */
  add(partNumber: number, chunks: readonly Buffer[]): void {
    this.#early.set(partNumber, chunks);
    for (let ready = this.#early.get(this.#next); ready !== undefined; ready = this.#early.get(this.#next)) {
      this.#early.delete(this.#next);
      this.#next++;
      for (const chunk of ready) this.#md5.update(chunk);
    }
    const waiting = this.#waiting;
    this.#waiting = waiting.filter((each) => !this.#mayBegin(each.partNumber));
    for (const each of waiting) if (this.#mayBegin(each.partNumber)) each.wake();
  }

  /** MD5 of parts 1 to `count`, in hex; null while one of them is missing. Only once. */
  hex(count: number): string | null {
    return this.#next === count + 1 && this.#early.size === 0 ? this.#md5.digest().toString('hex') : null;
  }

  #mayBegin(partNumber: number): boolean {
    return partNumber < this.#next + this.#window;
  }
}

/** Parts of one object that may wait for their turn, in bytes. Beyond it the source's MD5 is not computed. */
export const MAX_EARLY_BYTES: number = 64 * 1024 * 1024;

/** A digest to compare with the source's ETag; null when that is no MD5, or when the parts are too large to hold. */
export function wholeDigestFor(plan: CopyPlan, source: ObjectFacts, layout: PartLayout): OrderedDigest | null {
  const { verifyEtags, verifyWholeMd5, partConcurrency } = plan.tuning;
  const [first] = layout.ranges;
  if (!verifyEtags || !verifyWholeMd5 || first === undefined) return null;
  if (md5OfEtag(source.etag) === null || etagIsOpaque(source.headers)) return null;
  const earlyBytes = (first.last - first.first + 1) * partConcurrency;
  return earlyBytes > MAX_EARLY_BYTES ? null : new OrderedDigest(partConcurrency);
}

import { MemoryStore, openQuotas, type Quota } from '@weir/quota';
import { MemoryStore as ExpressStore, rateLimit } from 'express-rate-limit';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { BATCH } from '../load/batches.ts';

const LIMIT = 1_000_000_000_000;
const PERIOD_SECONDS = 3_600;

/** A limiter whose counters live in this process. */
export interface MemoryLimiter {
  /** Takes `BATCH` times, from one subject after the other. */
  readonly batch: (subjects: readonly string[]) => unknown;
  readonly close: () => unknown;
}

export interface MemoryContestant {
  readonly name: string;
  readonly open: () => MemoryLimiter;
}

/** Walks over the subjects, batch by batch. */
class Walk {
  #next = 0;

  next(subjects: readonly string[]): string {
    // One walk goes over several lists.
    if (this.#next >= subjects.length) this.#next = 0;
    return subjects[this.#next++] ?? '';
  }
}

function weir(): { quota: Quota; readonly close: () => Promise<void> } {
  const quotas = openQuotas({ store: new MemoryStore() });
  const quota = quotas.define({ id: 'bench', limit: LIMIT, period: 'hour' });
  return { quota, close: () => quotas.close() };
}

function refused(): never {
  throw new Error('a take was refused, although the limit is far away');
}

/** Asks the process first, and awaits only what that cannot decide. */
export function decidingNow(quota: Quota): MemoryLimiter['batch'] {
  const walk = new Walk();
  return async (subjects) => {
    for (let count = 0; count < BATCH; count += 1) {
      const subject = walk.next(subjects);
      const decision = quota.takeNow(subject) ?? (await quota.take(subject));
      if (!decision.allowed) refused();
    }
  };
}

/** Awaits each take before the next one. */
export function awaitingTakes(quota: Quota): MemoryLimiter['batch'] {
  const walk = new Walk();
  return async (subjects) => {
    for (let count = 0; count < BATCH; count += 1) {
      if (!(await quota.take(walk.next(subjects))).allowed) refused();
    }
  };
}

export const weirTake: MemoryContestant = {
  name: 'Weir, await take',
  open: () => {
    const { quota, close } = weir();
    return { batch: awaitingTakes(quota), close };
  },
};

export const weirTakeNow: MemoryContestant = {
  name: 'Weir, takeNow',
  open: () => {
    const { quota, close } = weir();
    return { batch: decidingNow(quota), close };
  },
};

export const flexibleMemory: MemoryContestant = {
  name: 'rate-limiter-flexible, RateLimiterMemory',
  open: () => {
    const limiter = new RateLimiterMemory({ points: LIMIT, duration: PERIOD_SECONDS });
    const walk = new Walk();
    return {
      batch: async (subjects) => {
        // It rejects when it refuses.
        for (let count = 0; count < BATCH; count += 1) {
          if ((await limiter.consume(walk.next(subjects))).consumedPoints < 1) refused();
        }
      },
      close: () => undefined,
    };
  },
};

export const expressMemory: MemoryContestant = {
  name: 'express-rate-limit, MemoryStore',
  open: () => {
    const store = new ExpressStore();
    // The middleware tells its store the period.
    rateLimit({ windowMs: PERIOD_SECONDS * 1_000, limit: LIMIT, store });
    const walk = new Walk();
    return {
      batch: async (subjects) => {
        for (let count = 0; count < BATCH; count += 1) {
          if ((await store.increment(walk.next(subjects))).totalHits > LIMIT) refused();
        }
      },
      close: () => store.shutdown(),
    };
  },
};

export const memoryContestants: readonly MemoryContestant[] = [weirTake, weirTakeNow, flexibleMemory, expressMemory];

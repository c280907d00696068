import { CreditWindow } from '@weir/governor';
import Bottleneck from 'bottleneck';
import { RateLimiter } from 'limiter';
import PQueue from 'p-queue';
import { BATCH } from '../load/batches.ts';

/** Something that operations ask before they are dispatched. */
export interface Gate {
  readonly name: string;
  /** `BATCH` operations that there are credits for: one after the other, or all at once where each is a promise. */
  readonly openBatch: (now: () => number) => () => unknown;
  /** How many operations wait in its turn: as many as it can wake in seconds. */
  readonly parked: number;
  /** A gate without credits. */
  readonly close: (operations: number) => ClosedGate;
}

export interface ClosedGate {
  /** Settles when the operation may go on. */
  readonly wait: () => Promise<unknown>;
  /** Makes credits for all that wait. Returns the moment from which on there are some, by `performance.now()`. */
  readonly grant: () => number | Promise<number>;
}

/** Peers start an operation some ticks later; nobody waits for one before the next is begun. */
function atOnce(operation: () => unknown): Promise<unknown> {
  return Promise.all(Array.from({ length: BATCH }, operation));
}

const PARKED = 100_000;
/** bottleneck takes about a millisecond to start each one. */
const PARKED_IN_BOTTLENECK = 5_000;

const MANY = Number.MAX_SAFE_INTEGER;

function openWindow(now: () => number): CreditWindow {
  const window = new CreditWindow({ now });
  window.grant({ epoch: 'e', windowNumber: 1, windowSeconds: 30, allocatedTps: MANY / 30, creditBudget: MANY });
  return window;
}

function closedWindow(operations: number): ClosedGate {
  const window = new CreditWindow({ now: () => performance.now() });
  const grant = { epoch: 'e', windowNumber: 1, windowSeconds: 30, allocatedTps: 0, creditBudget: 0 };
  window.grant(grant);
  return {
    wait: async () => window.charge('PUT', 1),
    grant: () => {
      const atMs = performance.now();
      window.grant({ ...grant, windowNumber: 2, allocatedTps: operations / 30, creditBudget: operations });
      return atMs;
    },
  };
}

const weir: Gate = {
  name: 'Weir, charge',
  openBatch: (now) => {
    const window = openWindow(now);
    return () => {
      for (let count = 0; count < BATCH; count += 1) {
        if (window.charge('PUT', 1) !== undefined) throw new Error('a charge parked, although there are credits');
      }
    };
  },
  parked: PARKED,
  close: closedWindow,
};

/** As somebody calls it who does not look at what comes back. */
const weirAwaited: Gate = {
  name: 'Weir, await charge',
  openBatch: (now) => {
    const window = openWindow(now);
    return () => atOnce(() => window.charge('PUT', 1));
  },
  parked: PARKED,
  close: closedWindow,
};

/** Long enough to park 100,000 operations and to look at them while they wait. */
const LIMITER_INTERVAL_MS = 8_000;

function closedLimiter(operations: number): ClosedGate {
  const limiter = new RateLimiter({ tokensPerInterval: operations, interval: LIMITER_INTERVAL_MS });
  const endsAtMs = performance.now() + LIMITER_INTERVAL_MS;
  if (!limiter.tryRemoveTokens(operations)) throw new Error('the limiter did not begin with all its tokens');
  // It has no call that grants: tokens come when the interval is over.
  return { wait: () => limiter.removeTokens(1), grant: () => endsAtMs };
}

const limiterNow: Gate = {
  name: 'limiter, tryRemoveTokens',
  openBatch: () => {
    const limiter = new RateLimiter({ tokensPerInterval: MANY, interval: 'hour' });
    return () => {
      for (let count = 0; count < BATCH; count += 1) {
        if (!limiter.tryRemoveTokens(1)) throw new Error('refused, although there are tokens');
      }
    };
  },
  parked: PARKED,
  close: closedLimiter,
};

const limiterAwaited: Gate = {
  name: 'limiter, await removeTokens',
  openBatch: () => {
    const limiter = new RateLimiter({ tokensPerInterval: MANY, interval: 'hour' });
    return () => atOnce(() => limiter.removeTokens(1));
  },
  parked: PARKED,
  close: closedLimiter,
};

async function nothing(): Promise<void> {
  // What is measured is the way here.
}

const bottleneck: Gate = {
  name: 'bottleneck, schedule',
  openBatch: () => {
    const limiter = new Bottleneck({ reservoir: MANY });
    return () => atOnce(() => limiter.schedule(nothing));
  },
  parked: PARKED_IN_BOTTLENECK,
  close: (operations) => {
    const limiter = new Bottleneck({ reservoir: 0 });
    return {
      wait: () => limiter.schedule(nothing),
      grant: async () => {
        const atMs = performance.now();
        await limiter.incrementReservoir(operations);
        return atMs;
      },
    };
  },
};

const queue: Gate = {
  name: 'p-queue, add',
  openBatch: () => {
    const operations = new PQueue({ intervalCap: MANY, interval: 30_000 });
    return () => atOnce(() => operations.add(nothing));
  },
  parked: PARKED,
  close: () => {
    const operations = new PQueue({ autoStart: false });
    return {
      wait: () => operations.add(nothing),
      grant: () => {
        const atMs = performance.now();
        operations.start();
        return atMs;
      },
    };
  },
};

/** All, for a charge with credits left; `now` is the clock of Weir's window. */
export const gates: readonly Gate[] = [weir, weirAwaited, limiterNow, limiterAwaited, bottleneck, queue];
/** One of each kind, for operations that wait. */
export const parkingGates: readonly Gate[] = [weir, limiterAwaited, bottleneck, queue];
export const gateUnderTest: Gate = weir;

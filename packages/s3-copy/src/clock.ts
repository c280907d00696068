import { setTimeout as delay } from 'node:timers/promises';
import type { Cancellation } from './cancellation.ts';

/** Time and chance, passed in so that tests decide them. */
export interface Clock {
  /** Wall clock, in ms since 1970; signatures carry it. */
  now(): number;
  /** Waits; rejects with the reason when cancelled. */
  sleep(ms: number, cancellation?: Cancellation): Promise<void>;
  /** Uniform in [0, 1). */
  random(): number;
}

/** The real clock of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep,
};

async function sleep(ms: number, cancellation?: Cancellation): Promise<void> {
  if (cancellation === undefined) return delay(ms);
  const controller = new AbortController();
  const forget = cancellation.onCancel(() => controller.abort());
  try {
    await delay(ms, undefined, { signal: controller.signal });
  } catch (error) {
    throw cancellation.reason ?? error;
  } finally {
    forget();
  }
}

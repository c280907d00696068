import type { CallContext } from './gate.ts';

/**
 * Runs a step of a longer copy. Stopped by a throttle that its retries could not absorb, it runs again once the run goes
 * on, so that what was finished before it is not lost.
 */
export function absorb<T>(call: CallContext, run: () => Promise<T>): Promise<T> {
  return call.absorb === undefined ? run() : call.absorb(run);
}

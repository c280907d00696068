import { CreditWindow } from '@weir/governor';
import { BATCH, nanosecondsOf } from '../load/batches.ts';

function openWindow(now: () => number): CreditWindow {
  const window = new CreditWindow({ now });
  const creditBudget = Number.MAX_SAFE_INTEGER;
  window.grant({ epoch: 'e', windowNumber: 1, windowSeconds: 30, allocatedTps: creditBudget / 30, creditBudget });
  return window;
}

function batchOf(window: CreditWindow): () => void {
  return () => {
    for (let count = 0; count < BATCH; count += 1) {
      if (window.charge('PUT', 1) !== undefined) throw new Error('a charge parked, although there are credits');
    }
  };
}

/** ns per charge with credits left, by the clock that the window is given. */
export function chargeNs(durationMs: number, clock: 'performance.now' | 'a constant'): Promise<number> {
  return nanosecondsOf(durationMs, batchOf(openWindow(clock === 'a constant' ? () => 0 : () => performance.now())));
}

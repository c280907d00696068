import type { Lane } from './counter.ts';
import type { Engine } from './engine.ts';
import { QuotaError } from './errors.ts';

/** The outcome of a call that did not answer in time: it may still come. */
export interface LateCall<T> {
  /** Told when the answer comes after all; not when the call fails. */
  readonly whenLate: (reply: T) => void;
}

/**
 * Calls the store within a budget, unless the lane's breaker is open, and tells the breaker how it went.
 * @param budgetMs longest wait in ms.
 * @param late hears the answer of a call that had been given up.
 * @throws {QuotaError} `store-unavailable`, `store-timeout`, or what the store failed with.
 */
export function callStore<T>(
  engine: Engine,
  lane: Lane,
  budgetMs: number,
  call: () => Promise<T>,
  late?: LateCall<T>,
): Promise<T> {
  if (!lane.breaker.admits(engine.clock())) {
    return Promise.reject(new QuotaError('store-unavailable', 'the store did not answer lately and is not asked now'));
  }
  engine.metrics.storeCalls += 1;
  return new Promise<T>((resolve, reject) => {
    let open = true;
    const timer = engine.timers.set(() => {
      open = false;
      engine.metrics.storeTimeouts += 1;
      const error = new QuotaError('store-timeout', `the store did not answer within ${budgetMs} ms`);
      laneFailed(engine, lane, error);
      reject(error);
    }, budgetMs);
    settled(call).then(
      (reply) => {
        timer.cancel();
        if (!open) {
          late?.whenLate(reply);
          return;
        }
        laneSucceeded(engine, lane);
        resolve(reply);
      },
      (error: unknown) => {
        timer.cancel();
        if (!open) return;
        const failure = asQuotaError(error);
        engine.metrics.storeFailures += 1;
        if (isOutage(failure)) laneFailed(engine, lane, failure);
        else laneSucceeded(engine, lane);
        reject(failure);
      },
    );
  });
}

/** The call's promise, also when the call throws at once. */
export function settled<T>(call: () => Promise<T>): Promise<T> {
  try {
    return call();
  } catch (error) {
    return Promise.reject(error instanceof Error ? error : new Error(String(error)));
  }
}

/** Failures of the store that are no `QuotaError` count as `store-unavailable`. */
export function asQuotaError(error: unknown): QuotaError {
  if (error instanceof QuotaError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new QuotaError('store-unavailable', message, { cause: error });
}

/** The store is away; otherwise it answered, and what it said is wrong. */
export function isOutage(error: QuotaError): boolean {
  return error.code !== 'store-corrupt';
}

/** Books a failure of the store on its lane. */
export function laneFailed(engine: Engine, lane: Lane, error: QuotaError): void {
  if (lane.breaker.failed(engine.clock(), engine.random())) {
    engine.emit({ type: 'store_down', lane: lane.name, error: error.message });
  }
}

/** Books an answer of the store on its lane. */
export function laneSucceeded(engine: Engine, lane: Lane): void {
  if (lane.breaker.succeeded()) engine.emit({ type: 'store_up', lane: lane.name });
}

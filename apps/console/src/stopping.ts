import type { Clock } from './ports/clock.ts';
import type { Logger } from './ports/logger.ts';

/** How long a stop may take, in ms. Requests drain for 5 s, statements of PostgreSQL end after 6; supervisors are told 30 s. */
export const STOP_MS = 20_000;

/** A console that did not stop in time: a disk or a server that it waits for does not answer. */
export class StopUnfinished extends Error {
  override readonly name = 'StopUnfinished';
  /** What had not come to its end, for people. */
  readonly unfinished: readonly string[];

  constructor(unfinished: readonly string[]) {
    super(`the console did not stop within ${STOP_MS / 1_000} s; it still waited for ${unfinished.join(', and for ')}`);
    this.unfinished = unfinished;
  }
}

/** Does a named part of a stop. */
export type StopPart = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/**
 * A stop that ends, whatever it waits for. What is cut off then is lost as by a killed process: heartbeats of the last second,
 * and nothing that anybody was told is done.
 * @param stop does its parts by what it is given, so that those which do not end can be named
 * @throws StopUnfinished after `STOP_MS`; the parts may still end by themselves
 */
export async function stopInTime(
  { clock, log }: { clock: Clock; log: Logger },
  stop: (part: StopPart) => Promise<void>,
): Promise<void> {
  const underWay = new Set<string>();
  const part: StopPart = async (name, work) => {
    underWay.add(name);
    try {
      return await work();
    } finally {
      underWay.delete(name);
    }
  };
  await new Promise<void>((resolve, reject) => {
    const limit = clock.after(STOP_MS, () => {
      const error = new StopUnfinished([...underWay]);
      log.error({ unfinished: error.unfinished }, 'the console did not stop in time');
      reject(error);
    });
    stop(part)
      .finally(() => limit.cancel())
      .then(resolve, reject);
  });
}

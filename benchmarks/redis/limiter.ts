import { runSlice, type Load, type Slice } from '../load/slice.ts';

/** A limiter on a connection of its own. */
export interface Limiter {
  /** @returns whether it was admitted. */
  readonly take: (subject: string) => Promise<boolean>;
  readonly slice: (load: Load) => Promise<Slice>;
  readonly close: () => Promise<void>;
}

/** What every limiter is told. */
export interface Rule {
  readonly limit: number;
  readonly periodSeconds: number;
  /** Part of every key that this limiter writes, and of no other. */
  readonly mark: string;
}

export type OpenLimiter = (url: string, rule: Rule) => Promise<Limiter>;

/**
 * @param call the limiter's own call.
 * @param admitted reads its answer; limiters that reject when they refuse always say yes.
 */
export function limiterOf<Answer>(
  call: (subject: string) => Answer | Promise<Answer>,
  admitted: (answer: Answer) => boolean,
  close: () => Promise<unknown>,
): Limiter {
  return {
    take: async (subject) => admitted(await call(subject)),
    slice: (load) => runSlice(load, call, admitted),
    close: async () => void (await close()),
  };
}

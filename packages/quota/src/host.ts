/** What the engine needs of the world, each replaceable, so that tests decide what time it is. */

/** Current time in ms since 1970. */
export type Clock = () => number;

/** Timers of at most some seconds; the engine never asks for one longer than `MAX_TIMER_MS`. */
export interface Timers {
  /** Runs `run` once after `ms`; the handle cancels it. Must not keep a process alive by itself. */
  set(run: () => void, ms: number): TimerHandle;
  /** Runs `run` in the next turn of the event loop, when what was written in this one is on its way. Absent: the host cannot. */
  soon?(run: () => void): void;
}

/** Cancels a timer; harmless when it has run. */
export interface TimerHandle {
  cancel(): void;
}

/** Longest timer used, in ms. Hosts fire timers over 2^31 ms (24.8 days) at once, so long waits are made of short ones. */
export const MAX_TIMER_MS = 60_000;

// The package is compiled without DOM and Node types; these exist in every host that it supports.
declare function setTimeout(run: () => void, ms: number): unknown;
declare function clearTimeout(handle: unknown): void;
declare const setImmediate: ((run: () => void) => unknown) | undefined;

/** `setTimeout` of the host; where the host can (Node), a waiting timer does not keep the process alive. */
export const hostTimers: Timers = {
  set(run, ms) {
    const handle = setTimeout(run, Math.min(ms, MAX_TIMER_MS));
    if (typeof handle === 'object' && handle !== null && 'unref' in handle && typeof handle.unref === 'function') {
      handle.unref();
    }
    return { cancel: () => clearTimeout(handle) };
  },
  ...(typeof setImmediate === 'function' ? { soon: (run: () => void) => void setImmediate(run) } : {}),
};

/** `Date.now` of the host. */
export const hostClock: Clock = () => Date.now();

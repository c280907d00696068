import { useSyncExternalStore } from 'react';
import { consoleClock } from './console.ts';

/** One timer for every countdown and age on the page; it runs only while something shows one. */
const TICK_MS = 500;

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | null = null;
let shown = 0;

function tick(): void {
  shown = consoleClock.now();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };
}

/** Now by the console's clock in ms, anew every half second. Only for small components: each tick draws them again. */
export function useNow(): number {
  // Between ticks the value must not change; with no timer running there is no tick, so an old one is read afresh.
  return useSyncExternalStore(subscribe, () => {
    const now = consoleClock.now();
    if (timer === null && Math.abs(now - shown) >= TICK_MS) shown = now;
    return shown;
  });
}

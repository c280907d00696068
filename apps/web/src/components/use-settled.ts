import { useEffect, useState } from 'react';

/** How long nobody must type until the console is asked, in ms. */
export const TYPING_MS = 300;

/** A value once it has not changed for `delayMs`. */
export function useSettled<T>(value: T, delayMs: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delayMs);
    return () => clearTimeout(timer);
  }, [value, delayMs]);
  return settled;
}

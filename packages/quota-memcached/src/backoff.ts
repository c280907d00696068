/** Pause after the first failed attempt, in ms. */
const FIRST_PAUSE_MS = 50;

/** Longest pause between attempts, in ms: a server that is back is found within this time. */
const LONGEST_PAUSE_MS = 2_000;

/**
 * How long to leave a server alone after `failures` failed attempts in a row: doubles up to a bound, and the upper half is left
 * to chance so that a fleet does not return in step.
 * @param failures at least 1.
 * @param random from [0, 1).
 */
export function pauseMs(failures: number, random: number): number {
  const ceiling = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 20));
  return ceiling * (0.5 + random / 2);
}

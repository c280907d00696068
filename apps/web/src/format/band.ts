/** Colour of a utilization: green below 80 %, amber from 80 to 95 % inclusive, red above 95 %. */
export type Band = 'green' | 'amber' | 'red';

/** Lowest percentage shown in amber. */
export const AMBER_FROM_PERCENT = 80;

/** Highest percentage shown in amber. */
export const AMBER_TO_PERCENT = 95;

/** @param percent utilization or efficiency, ≥ 0 */
export function bandOf(percent: number): Band {
  if (percent < AMBER_FROM_PERCENT) return 'green';
  return percent <= AMBER_TO_PERCENT ? 'amber' : 'red';
}

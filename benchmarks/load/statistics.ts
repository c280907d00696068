/** @returns NaN when there are no values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  if (sorted.length % 2 === 1) return sorted[Math.floor(middle)] ?? Number.NaN;
  return ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

/** The median of the ratios of pairs measured in the same round, so that a machine that slows down meanwhile changes little. */
export function medianRatio(values: readonly number[], bases: readonly number[]): number {
  return median(values.map((value, index) => value / (bases[index] ?? Number.NaN)));
}

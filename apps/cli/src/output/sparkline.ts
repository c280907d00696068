const BARS = '▁▂▃▄▅▆▇█';

/**
 * One character per value, scaled from 0 to `max` (default: the largest value); values are shortened to `width`
 * by averaging neighbours, so that a long series still fits on one line.
 */
export function sparkline(values: readonly number[], width: number, max: number = Math.max(...values, 0)): string {
  const size = Math.max(1, Math.min(width, values.length));
  let line = '';
  for (let column = 0; column < size && values.length > 0; column += 1) {
    const from = Math.floor((column * values.length) / size);
    const to = Math.max(from + 1, Math.floor(((column + 1) * values.length) / size));
    const part = values.slice(from, to);
    const mean = part.reduce((sum, value) => sum + value, 0) / part.length;
    const level = max > 0 ? Math.round((Math.min(mean, max) / max) * (BARS.length - 1)) : 0;
    line += BARS[level] ?? '';
  }
  return line;
}

import { figure } from './table.ts';

const WIDTH = 50;

/**
 * Bars as text, each from zero, so that their lengths can be compared.
 * @param unit stands behind each figure
 */
export function bars(rows: readonly { label: string; value: number }[], unit: string): string {
  const widest = Math.max(...rows.map(({ label }) => label.length));
  const most = Math.max(...rows.map(({ value }) => value));
  const lines = rows.map(({ label, value }) => {
    const length = Math.max(1, Math.round((value / most) * WIDTH));
    return `${label.padStart(widest)}  ${'█'.repeat(length)} ${figure(value)} ${unit}`;
  });
  return ['```text', ...lines, '```'].join('\n');
}

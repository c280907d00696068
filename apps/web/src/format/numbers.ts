import { bandOf } from './band.ts';

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const oneDigit = new Intl.NumberFormat('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

/** `7,832`: a whole number with thousands separated. */
export function formatCount(count: number): string {
  return whole.format(count);
}

/** `1.2M`: for places where a long number does not fit, such as the axis of a chart. */
export function formatCompact(value: number): string {
  return compact.format(value);
}

/** A rate in operations per second: whole from 10 up, one decimal below, so that 3.3 does not read as 3. */
export function formatTps(tps: number): string {
  return tps >= 10 || Number.isInteger(tps) ? whole.format(tps) : oneDigit.format(tps);
}

/** `78.3 Mbps` without its unit; one decimal, as on the monitor. */
export function formatMbps(mbps: number): string {
  return mbps >= 1_000 ? whole.format(mbps) : oneDigit.format(mbps);
}

/**
 * `78.3%`: one decimal; more when rounding to one would show a value in a band other than its own (79.96 is green,
 * so it does not read as 80.0).
 * @param percent ≥ 0
 */
export function formatPercent(percent: number): string {
  for (const digits of [1, 2, 3]) {
    const text = percent.toFixed(digits);
    if (bandOf(Number(text)) === bandOf(percent)) {
      return percent >= 1_000 ? `${whole.format(percent)}%` : `${text}%`;
    }
  }
  return `${percent}%`;
}

const upToOneDigit = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

/** `95%`, `97.5%`: a chosen percentage, which is mostly whole. */
export function formatSetPercent(percent: number): string {
  return `${upToOneDigit.format(percent)}%`;
}

const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];

/** `1.5 GiB`: bytes in powers of 1,024, at most three significant digits after the first. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // 1,023.95 KiB would print as "1,024.0 KiB".
  while (unit < BYTE_UNITS.length - 1 && value >= (unit === 0 ? 1_024 : 1_023.95)) {
    value /= 1_024;
    unit += 1;
  }
  return `${unit === 0 ? whole.format(value) : oneDigit.format(value)} ${BYTE_UNITS[unit]}`;
}

/** `128 MiB`, `1.5 GiB`: a chosen size, which is mostly whole. */
export function formatSetBytes(bytes: number): string {
  return formatBytes(bytes).replace('.0 ', ' ');
}

/** `1 object`, `5,230 objects`. */
export function formatPlural(count: number, singular: string, plural: string = `${singular}s`): string {
  return `${whole.format(count)} ${count === 1 ? singular : plural}`;
}

import { HISTORY_RANGES, historyRange, MONITOR_POINTS, type HistoryRange } from '@weir/protocol';
import type { ChartSpan } from '../../charts/chart-span.ts';
import { formatDuration } from '../../format/time.ts';

/** What the chart shows: the last 60 windows as they were sampled, or a range of the history. */
export type MonitorRange = 'live' | HistoryRange;

/** The range that an address names; anything unknown reads as `live`. */
export function rangeNamed(name: string | null): MonitorRange {
  const parsed = historyRange.safeParse(name);
  return parsed.success ? parsed.data : 'live';
}

/** Points and steps of a range. */
export function spanOf(range: MonitorRange, windowSeconds: number): ChartSpan {
  if (range === 'live') return { stepSeconds: windowSeconds, points: MONITOR_POINTS, growing: true };
  const { bucketMs, points } = HISTORY_RANGES[range];
  return { stepSeconds: bucketMs / 1_000, points, growing: false };
}

/** Ranges to choose from, in words. */
export function rangeChoices(windowSeconds: number): readonly { value: MonitorRange; label: string }[] {
  return [
    { value: 'live', label: formatDuration(MONITOR_POINTS * windowSeconds * 1_000) },
    { value: '6h', label: '6 h' },
    { value: '24h', label: '24 h' },
    { value: '7d', label: '7 d' },
  ];
}

/** `Last 30 min, one point each 30 s`. */
export function describeRange(range: MonitorRange, windowSeconds: number): string {
  const whole = rangeChoices(windowSeconds).find(({ value }) => value === range)?.label ?? '';
  const step = formatDuration(spanOf(range, windowSeconds).stepSeconds * 1_000);
  return `Last ${whole}, ${range === 'live' ? `one point each ${step}` : `means and peaks of ${step}`}`;
}

import { formatClock, formatClockSeconds, formatDateTime, formatDay } from '../format/time.ts';

/** What a chart shows of the history. */
export interface ChartSpan {
  /** Length of one point, in seconds. */
  stepSeconds: number;
  /** Points of the whole chart. */
  points: number;
  /** Whether a chart that has just begun shows a part of its span only. */
  growing: boolean;
}

const DAY_SECONDS = 86_400;

/** From the first point to the last one, in seconds. */
export function spanSeconds(span: ChartSpan): number {
  return (span.points - 1) * span.stepSeconds;
}

/** Whether the times of a span need their day. */
export function needsDate(span: ChartSpan): boolean {
  return spanSeconds(span) > DAY_SECONDS * 0.9;
}

/** The time of a point for tooltips: to the second while points are that short, with the day where there are several. */
export function formatPoint(atMs: number, span: ChartSpan): string {
  if (needsDate(span)) return formatDateTime(atMs);
  return span.stepSeconds < 60 ? formatClockSeconds(atMs) : formatClock(atMs);
}

/** Words at the time axis: `14:00`, and the day at midnight where there are several days. */
export function formatTick(atMs: number, span: ChartSpan): string {
  const clock = formatClock(atMs);
  return needsDate(span) && clock === '00:00' ? formatDay(atMs) : clock;
}

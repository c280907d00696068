import { z } from 'zod';
import { MAX_GLOBAL_LIMIT_TPS, MIN_GLOBAL_LIMIT_TPS } from './limits.ts';

/** Rules of one schedule: seven days of seven hours each; beyond it nobody sees what applies. */
export const MAX_SCHEDULE_RULES = 50;

/** Days of the week as schedules name them; the index is that of `Date.getUTCDay`. */
export const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
export const weekday = z.enum(WEEKDAYS);
export type Weekday = z.infer<typeof weekday>;

const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as 08:00 or 22:30');
const endOfDay = z
  .string()
  .regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, 'must be a time of day such as 08:00, or 24:00 for the end of the day');

/** A limit for certain hours of certain days. */
export const scheduleRule = z.strictObject({
  days: z
    .array(weekday)
    .min(1, 'must name at least one day')
    .max(WEEKDAYS.length)
    .refine((days) => new Set(days).size === days.length, 'must name each day once'),
  /** First minute, on the clocks of the zone. */
  from: timeOfDay,
  /** First minute after it. Earlier than `from`, or the same: the rule reaches into the next day. */
  to: endOfDay,
  limitTps: z
    .number('must be a whole number of TPS, for example 2000')
    .int('must be a whole number of TPS, for example 2000')
    .min(MIN_GLOBAL_LIMIT_TPS, `must be at least ${MIN_GLOBAL_LIMIT_TPS} TPS`)
    .max(MAX_GLOBAL_LIMIT_TPS, `must be at most ${MAX_GLOBAL_LIMIT_TPS} TPS`),
});
export type ScheduleRule = z.infer<typeof scheduleRule>;

/** Limits by the hour; where no rule applies the global limit does. The first rule that applies counts. */
export const limitSchedule = z.strictObject({
  timeZone: z.string().min(1).max(64).refine(isTimeZone, 'must be an IANA time zone such as Europe/Berlin'),
  rules: z.array(scheduleRule).max(MAX_SCHEDULE_RULES, `must have at most ${MAX_SCHEDULE_RULES} rules`),
});
export type LimitSchedule = z.infer<typeof limitSchedule>;

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/**
 * The limit that a schedule sets at a moment, in TPS; null: no rule applies. Goes by the clocks of the zone: an hour that
 * they show twice counts twice, one that they skip not at all.
 */
export function scheduledLimitTps(schedule: LimitSchedule | null, atMs: number): number | null {
  if (schedule === null || schedule.rules.length === 0) return null;
  const { day, minute } = localTime(schedule.timeZone, atMs);
  return schedule.rules.find((rule) => applies(rule, day, minute))?.limitTps ?? null;
}

function applies({ days, from, to }: ScheduleRule, day: number, minute: number): boolean {
  const begins = minutesOf(from);
  const ends = minutesOf(to);
  const on = (index: number): boolean => days.some((name) => WEEKDAYS[(index + 7) % 7] === name);
  if (ends > begins) return on(day) && minute >= begins && minute < ends;
  return (on(day) && minute >= begins) || (on(day - 1) && minute < ends);
}

function minutesOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}

/** Making a format costs a hundred times what using it does. */
const formats = new Map<string, Intl.DateTimeFormat>();
const MAX_FORMATS = 16;

function localTime(timeZone: string, atMs: number): { day: number; minute: number } {
  let format = formats.get(timeZone);
  if (format === undefined) {
    if (formats.size >= MAX_FORMATS) formats.clear();
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
    formats.set(timeZone, format);
  }
  const parts = new Map(format.formatToParts(atMs).map(({ type, value }) => [type, value]));
  const name = (parts.get('weekday') ?? '').toLowerCase();
  const minute = Number(parts.get('hour')) * 60 + Number(parts.get('minute'));
  return { day: WEEKDAYS.findIndex((candidate) => candidate === name), minute };
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const clockSeconds = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const dateTime = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});

const moment = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

/** `30 Nov` in the viewer's zone. */
export function formatDay(atMs: number): string {
  return day.format(atMs);
}

/** `14:03` in the viewer's zone. */
export function formatClock(atMs: number): string {
  return clock.format(atMs);
}

/** `14:03:20` in the viewer's zone. */
export function formatClockSeconds(atMs: number): string {
  return clockSeconds.format(atMs);
}

/** `30 Nov 2026, 14:03` in the viewer's zone. */
export function formatDateTime(atMs: number): string {
  return dateTime.format(atMs);
}

/** `30 Nov 2026, 14:03:20` in the viewer's zone. */
export function formatMoment(atMs: number): string {
  return moment.format(atMs);
}

/**
 * `45 s`, `2 min 5 s`, `1 h 20 min`, `3 d 4 h`: two units at most.
 * @param ms a duration ≥ 0; negative ones read as 0
 */
export function formatDuration(ms: number): string {
  if (ms < SECOND_MS) return ms <= 0 ? '0 s' : `${Math.max(1, Math.round(ms))} ms`;
  const seconds = Math.round(ms / SECOND_MS);
  if (seconds < 60)
    return ms < 10 * SECOND_MS && ms % SECOND_MS !== 0 ? `${(ms / SECOND_MS).toFixed(1)} s` : `${seconds} s`;
  if (ms < HOUR_MS - SECOND_MS / 2) return twoUnits(seconds, 60, 'min', 's');
  const minutes = Math.round(ms / MINUTE_MS);
  if (minutes < 24 * 60) return twoUnits(minutes, 60, 'h', 'min');
  return twoUnits(Math.round(ms / HOUR_MS), 24, 'd', 'h');
}

function twoUnits(amount: number, perLarge: number, large: string, small: string): string {
  const rest = amount % perLarge;
  return `${Math.floor(amount / perLarge)} ${large}${rest === 0 ? '' : ` ${rest} ${small}`}`;
}

/** `1:42` or `0:07`: time left, rounded up so that 0:00 means over. */
export function formatCountdown(remainingMs: number): string {
  const seconds = Math.max(0, Math.ceil(remainingMs / SECOND_MS));
  const minutes = Math.floor(seconds / 60);
  return `${minutes}:${String(seconds % 60).padStart(2, '0')}`;
}

/** `just now`, `12 s ago`, `3 min ago`, `2 h ago`, `5 d ago`. */
export function formatAge(atMs: number, nowMs: number): string {
  const age = nowMs - atMs;
  if (age < 2 * SECOND_MS) return 'just now';
  if (age < MINUTE_MS) return `${Math.floor(age / SECOND_MS)} s ago`;
  if (age < HOUR_MS) return `${Math.floor(age / MINUTE_MS)} min ago`;
  if (age < 2 * DAY_MS) return `${Math.floor(age / HOUR_MS)} h ago`;
  return `${Math.floor(age / DAY_MS)} d ago`;
}

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const tenth = new Intl.NumberFormat('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** `12,345` */
export function formatCount(value: number): string {
  return whole.format(value);
}

/** `97.3 %` */
export function formatPercent(value: number): string {
  return `${tenth.format(value)} %`;
}

/** `1.5 MiB`; binary units, as S3 part sizes are. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1_024 && unit < units.length - 1) {
    value /= 1_024;
    unit += 1;
  }
  return `${unit === 0 ? whole.format(value) : tenth.format(value)} ${units[unit] ?? ''}`;
}

/** `45 s`, `3 min 20 s`, `2 h 5 min` */
export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

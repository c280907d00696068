import type { CSSProperties, ReactElement } from 'react';
import { cx } from './class-names.ts';
import styles from './meter.module.css';

export type MeterTone = 'green' | 'amber' | 'red' | 'gray' | 'accent';

/** Custom property that the style sheet turns into a width. */
function fill(percent: number): CSSProperties {
  const share: Record<`--${string}`, string> = { '--fill': `${Math.min(100, Math.max(0, percent))}%` };
  return share;
}

/** A bar beside a figure that says the same; full at 100 %, with a mark when the value is above. */
export function MiniBar({
  percent,
  tone,
  wide = false,
}: {
  percent: number;
  tone: MeterTone;
  wide?: boolean;
}): ReactElement {
  return (
    <span className={cx(styles.track, styles[tone], wide && styles.wide)} style={fill(percent)} aria-hidden="true">
      <span className={styles.fill} />
      {percent > 100 && <span className={styles.over} />}
    </span>
  );
}

/** Progress of work. `percent` null: under way, how far is unknown. */
export function ProgressBar({
  percent,
  tone,
  label,
}: {
  percent: number | null;
  tone: MeterTone;
  label: string;
}): ReactElement {
  return (
    <span className={styles.progress}>
      <progress
        className="visually-hidden"
        aria-label={label}
        max={100}
        value={percent === null ? undefined : Math.round(percent)}
      />
      <span
        className={cx(styles.track, styles.wide, styles[tone], percent === null && styles.unknown)}
        style={fill(percent ?? 100)}
        aria-hidden="true"
      >
        <span className={styles.fill} />
      </span>
    </span>
  );
}

import type { CSSProperties, ReactElement } from 'react';
import { cx } from '../components/class-names.ts';
import type { ChartLine } from './series.ts';
import { lineToken } from './uplot-options.ts';
import styles from './line-swatch.module.css';

/** A short piece of a line as the chart draws it. */
export function LineSwatch({ line }: { line: ChartLine }): ReactElement {
  const colour: CSSProperties & Record<'--swatch', string> = { '--swatch': `var(${lineToken(line)})` };
  return (
    <span
      className={cx(
        styles.swatch,
        line.kind === 'total' && styles.total,
        line.kind === 'limit' && styles.limit,
        line.kind === 'in-force' && styles.inForce,
        line.kind === 'peak' && styles.peak,
      )}
      style={colour}
      aria-hidden="true"
    />
  );
}

import type { ReactElement } from 'react';
import { cx } from '../components/class-names.ts';
import { formatTps } from '../format/numbers.ts';
import { formatPoint, type ChartSpan } from './chart-span.ts';
import { figuresAt, type ChartData } from './series.ts';
import { LineSwatch } from './line-swatch.tsx';
import styles from './chart-tooltip.module.css';

/** Most figures in the tooltip: every line that the chart can have. */
export const TOOLTIP_ROWS = 15;

/** TPS of each line at one point; on the side of the cursor that has room. Screen readers get the slider's text. */
export function ChartTooltip({
  data,
  span,
  index,
  leftPx,
  hidden,
}: {
  data: ChartData;
  span: ChartSpan;
  index: number;
  leftPx: number;
  hidden: ReadonlySet<string>;
}): ReactElement {
  const seconds = data.columns[0]?.[index] ?? 0;
  const half = (data.columns[0]?.length ?? 0) / 2;
  return (
    <div
      className={cx(styles.tooltip, index >= half && styles.before)}
      style={{ left: `calc(${Math.round(leftPx)}px + var(--plot-left))` }}
      aria-hidden="true"
    >
      <p className={styles.time}>{formatPoint(seconds * 1_000, span)}</p>
      <table className={styles.figures}>
        <tbody>
          {figuresAt(data, index, hidden)
            .slice(0, TOOLTIP_ROWS)
            .map(({ line, tps }) => (
              <tr key={line.key} className={line.kind === 'total' ? styles.total : undefined}>
                <td>
                  <LineSwatch line={line} />
                </td>
                <td className={styles.name}>{line.label}</td>
                <td className={styles.tps}>{tps === null ? '–' : `${formatTps(tps)} TPS`}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  );
}

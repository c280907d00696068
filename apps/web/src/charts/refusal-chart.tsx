import { useId, useState, type ReactElement } from 'react';
import type { RefusalSeries } from '@weir/protocol';
import { formatCompact, formatCount } from '../format/numbers.ts';
import { formatClock } from '../format/time.ts';
import { axisTimes, refusalPicture, type RefusalBar } from './refusal-bars.ts';
import styles from './refusal-chart.module.css';

const POINT_MS = 300_000;

/** Takes of the last day, five minutes a bar: what was admitted, and on top what was refused. */
export function RefusalChart({ series }: { series: RefusalSeries }): ReactElement {
  const picture = refusalPicture(series);
  const [shown, setShown] = useState<RefusalBar | null>(null);
  const labelId = useId();
  return (
    <figure className={styles.figure} aria-labelledby={labelId}>
      <div className={styles.plot}>
        <span className={styles.top} aria-hidden="true">
          {formatCompact(picture.top)}
        </span>
        <svg
          className={styles.bars}
          viewBox="0 0 100 100"
          preserveAspectRatio="none"
          aria-hidden="true"
          focusable="false"
        >
          {picture.gaps.map(({ xPercent, widthPercent }) => (
            <rect key={xPercent} className={styles.gap} x={xPercent} y={0} width={widthPercent} height={100} />
          ))}
          {picture.bars.map((bar) => (
            <g key={bar.atMs} onPointerEnter={() => setShown(bar)} onPointerLeave={() => setShown(null)}>
              <rect className={styles.hit} x={bar.xPercent} y={0} width={bar.widthPercent} height={100} />
              <rect
                className={styles.admitted}
                x={bar.xPercent}
                y={100 - bar.admittedPercent}
                width={bar.widthPercent * 0.82}
                height={bar.admittedPercent}
              />
              <rect
                className={styles.refused}
                x={bar.xPercent}
                y={100 - bar.admittedPercent - bar.refusedPercent}
                width={bar.widthPercent * 0.82}
                height={bar.refusedPercent}
              />
            </g>
          ))}
        </svg>
      </div>
      <div className={styles.axis} aria-hidden="true">
        {axisTimes(series.atMs).map(({ atMs, xPercent }) => (
          <span key={atMs} className={styles.time} style={{ left: `${xPercent}%` }}>
            {formatClock(atMs)}
          </span>
        ))}
      </div>
      <figcaption className={styles.caption} id={labelId}>
        <span className={styles.entry}>
          <span className={styles.key} data-kind="admitted" /> {formatCount(picture.admitted)} admitted
        </span>
        <span className={styles.entry}>
          <span className={styles.key} data-kind="refused" /> {formatCount(picture.refused)} refused in 24 h
        </span>
        {picture.mostAtLimit > 0 && <> · at most {formatCount(picture.mostAtLimit)} subjects at their limit</>}
        {picture.gaps.length > 0 && (
          <span className={styles.entry}>
            <span className={styles.key} data-kind="gap" /> the console did not run, or the quota was not there
          </span>
        )}
        <output className={styles.point}>
          {shown !== null &&
            `${timeOf(shown, series.atMs.at(-1))}: ${formatCount(shown.admitted)} admitted, ${formatCount(shown.refused)} refused`}
        </output>
      </figcaption>
    </figure>
  );
}

/** The last bar still grows: it has a beginning only. */
function timeOf({ atMs }: RefusalBar, lastAtMs: number | undefined): string {
  return atMs === lastAtMs ? `since ${formatClock(atMs)}` : `${formatClock(atMs)}–${formatClock(atMs + POINT_MS)}`;
}

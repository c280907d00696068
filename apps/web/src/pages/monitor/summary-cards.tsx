import type { CSSProperties, ReactElement, ReactNode } from 'react';
import type { MonitorView } from '@weir/protocol';
import { bandOf, type Band } from '../../format/band.ts';
import { formatCount, formatMbps, formatPercent, formatPlural, formatTps } from '../../format/numbers.ts';
import { cx } from '../../components/class-names.ts';
import { MiniBar } from '../../components/meter.tsx';
import styles from './summary-cards.module.css';

const BAND_WORDS: Readonly<Record<Band, string>> = {
  green: 'Normal, with headroom',
  amber: 'Approaching the limit',
  red: 'At the limit',
};

/** The three figures at the top of the monitor. */
export function SummaryCards({ view }: { view: MonitorView }): ReactElement {
  // Without agents there is nothing to be in a band.
  const band = view.registeredAgents === 0 ? undefined : bandOf(view.utilizationPercent);
  return (
    <div className={styles.cards}>
      <StatCard
        title="Total System TPS"
        band={band}
        value={formatTps(view.totalActualTps)}
        of={`/ ${formatCount(view.globalLimitTps)}`}
        foot={`${formatMbps(view.totalMbps)} Mbps of object data`}
      />
      <StatCard
        title="Utilization"
        band={band}
        value={formatPercent(view.utilizationPercent)}
        foot={utilizationWords(view)}
        bar={<MiniBar percent={view.utilizationPercent} tone={band ?? 'gray'} wide />}
      />
      <StatCard
        title="Active Agents"
        value={formatCount(view.runningAgents)}
        of={`/ ${formatCount(view.registeredAgents)}`}
        foot={
          [
            view.holdoffAgents > 0 && `${formatPlural(view.holdoffAgents, 'agent')} in holdoff`,
            view.unthrottledAgents > 0 && `${formatCount(view.unthrottledAgents)} unthrottled`,
          ]
            .filter(Boolean)
            .join(' · ') || 'running / registered'
        }
      />
    </div>
  );
}

/** What the percentage means. Nothing that is not at work is "normal". */
function utilizationWords(view: MonitorView): string {
  if (view.registeredAgents === 0) return 'No agent is enrolled yet';
  if (view.runningAgents === 0) return 'Idle: no agent runs a job';
  if (view.judgedLimitTps !== view.globalLimitTps) {
    return `Of ${formatCount(view.judgedLimitTps)} TPS, the limit of these windows`;
  }
  return view.utilizationPercent > 100 ? 'Bursts above the limit' : BAND_WORDS[bandOf(view.utilizationPercent)];
}

/** Room for a figure as long as the one behind the stroke, in digits: the stroke stays where it is while figures change. */
function roomFor(of: string | undefined): CSSProperties {
  const room: CSSProperties & Record<'--digits', number> = {
    '--digits': of === undefined ? 0 : of.replaceAll(/\D/g, '').length + (of.split(',').length - 1) / 2,
  };
  return room;
}

function StatCard({
  title,
  value,
  of,
  foot,
  band,
  bar,
}: {
  title: string;
  value: string;
  of?: string;
  foot: string;
  band?: Band | undefined;
  bar?: ReactNode;
}): ReactElement {
  return (
    <section className={styles.card} aria-label={title} data-band={band}>
      <h2 className={styles.title}>{title}</h2>
      <p className={styles.line}>
        <span className={cx(styles.value, band !== undefined && styles[band])} style={roomFor(of)}>
          {value}
        </span>
        {of !== undefined && <span className={styles.of}> {of}</span>}
      </p>
      <p className={styles.foot}>{foot}</p>
      {bar !== undefined && <div className={styles.bar}>{bar}</div>}
    </section>
  );
}

import { memo, type ComponentType, type ReactElement } from 'react';
import { Button } from '../components/button.tsx';
import type { ChartLine } from './series.ts';
import { LineSwatch } from './line-swatch.tsx';
import styles from './chart-legend.module.css';

interface LegendProps {
  lines: readonly ChartLine[];
  hidden: ReadonlySet<string>;
  onChange: (hidden: ReadonlySet<string>) => void;
}

/** Names of the lines; each shows or hides its line. */
export const ChartLegend: ComponentType<LegendProps> = memo(function ChartLegend({
  lines,
  hidden,
  onChange,
}: LegendProps): ReactElement {
  const toggle = (key: string): void => {
    const next = new Set(hidden);
    if (!next.delete(key)) next.add(key);
    onChange(next);
  };
  return (
    <fieldset className={styles.legend}>
      <legend className="visually-hidden">Lines of the chart</legend>
      {lines.map((line) => (
        <button
          key={line.key}
          type="button"
          className={styles.entry}
          aria-pressed={!hidden.has(line.key)}
          title={hidden.has(line.key) ? `Show ${line.label}` : `Hide ${line.label}`}
          onClick={() => toggle(line.key)}
        >
          <LineSwatch line={line} />
          <span className={styles.name}>{line.label}</span>
        </button>
      ))}
      {hidden.size > 0 && (
        <Button small variant="ghost" onClick={() => onChange(new Set())}>
          Show all
        </Button>
      )}
    </fieldset>
  );
});

import { useEffect, useRef, type ReactElement } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { tokenReader } from './tokens.ts';
import { alignedData, uplotOptions, type ChartContext } from './uplot-options.ts';
import styles from './plot.module.css';

/**
 * One uPlot with the lines it was mounted with: its parent gives it a new key when lines or theme change. Everything
 * else reaches the living plot: data, size, visibility and the point under the cursor.
 */
export function Plot({ context, cursor }: { context: ChartContext; cursor: number | null }): ReactElement {
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef(context);
  const { data, hidden } = context;

  useEffect(() => {
    latest.current = context;
  }, [context]);

  useEffect(() => {
    const element = host.current;
    if (element === null) return undefined;
    const size = (): { width: number; height: number } => ({
      width: element.clientWidth,
      height: element.clientHeight,
    });
    const created = new uPlot(
      uplotOptions(size(), () => latest.current, tokenReader(element)),
      alignedData(latest.current.data),
      element,
    );
    plot.current = created;
    const observer = new ResizeObserver(() => created.setSize(size()));
    observer.observe(element);
    return () => {
      observer.disconnect();
      created.destroy();
      plot.current = null;
    };
  }, []);

  useEffect(() => {
    if (plot.current?.data !== data.columns) plot.current?.setData(alignedData(data));
  }, [data]);

  useEffect(() => {
    for (const [position, line] of latest.current.data.lines.entries()) {
      const show = !hidden.has(line.key);
      if (plot.current?.series[position + 1]?.show !== show) plot.current?.setSeries(position + 1, { show });
    }
  }, [hidden]);

  useEffect(() => {
    if (plot.current === null || plot.current.cursor.idx === cursor) return;
    const seconds = cursor === null ? undefined : latest.current.data.columns[0]?.[cursor];
    const left = seconds === undefined || seconds === null ? -10 : plot.current.valToPos(seconds, 'x');
    plot.current.setCursor({ left, top: left < 0 ? -10 : 0 });
  }, [cursor]);

  return <div ref={host} className={styles.host} />;
}

import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef, useState, type ReactElement, type RefObject } from 'react';
import styles from './virtual-rows.module.css';

/** Up to this many rows all are drawn: then the browser's own search finds every name. */
const VIRTUAL_FROM_ROWS = 80;

/** Rows drawn above and below what can be seen. */
const OVERSCAN_ROWS = 12;

/** A guess at the height of a row, in px; each is measured when it is drawn. */
const ROW_PX = 39;

/** Which rows to draw, and the room that the others take. */
export interface VirtualRows {
  /** For the body of the table. */
  body: RefObject<HTMLTableSectionElement | null>;
  /** For each drawn row, which carries `data-index`. */
  measure: (row: HTMLTableRowElement | null) => void;
  indices: readonly number[];
  abovePx: number;
  belowPx: number;
}

/** Draws the rows of a long table that can be seen while the page scrolls. */
export function useVirtualRows(count: number): VirtualRows {
  const body = useRef<HTMLTableSectionElement>(null);
  const [topPx, setTopPx] = useState(0);
  const virtual = count > VIRTUAL_FROM_ROWS;
  // oxlint-disable-next-line react/incompatible-library -- the pages are not compiled by the React Compiler
  const virtualizer = useWindowVirtualizer<HTMLTableRowElement>({
    count,
    enabled: virtual,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN_ROWS,
    scrollMargin: topPx,
  });
  // What stands above the table may grow or leave (a banner, the list of events).
  useLayoutEffect(() => {
    if (!virtual) return undefined;
    const place = (): void => {
      const top = body.current?.getBoundingClientRect().top;
      if (top !== undefined) setTopPx(Math.round(top + window.scrollY));
    };
    place();
    const observer = new ResizeObserver(place);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [virtual]);
  if (!virtual) {
    const indices = Array.from({ length: count }, (_, index) => index);
    return { body, measure: () => undefined, indices, abovePx: 0, belowPx: 0 };
  }
  const items = virtualizer.getVirtualItems();
  const first = items[0];
  const last = items.at(-1);
  return {
    body,
    measure: virtualizer.measureElement,
    indices: items.map((item) => item.index),
    abovePx: first === undefined ? 0 : first.start - topPx,
    belowPx: last === undefined ? 0 : virtualizer.getTotalSize() - (last.end - topPx),
  };
}

/** Room for rows that are not drawn. */
export function RowRoom({ heightPx, columns }: { heightPx: number; columns: number }): ReactElement | null {
  if (heightPx <= 0) return null;
  return (
    <tr className={styles.room} aria-hidden="true">
      <td className={styles.cell} colSpan={columns} style={{ height: heightPx }}>
        {' '}
      </td>
    </tr>
  );
}

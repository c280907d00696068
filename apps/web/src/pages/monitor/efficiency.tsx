import { Popover } from '@base-ui/react/popover';
import { useState, type ReactElement } from 'react';
import type { MonitorRow } from '@weir/protocol';
import { bandOf } from '../../format/band.ts';
import { formatPercent } from '../../format/numbers.ts';
import { cx } from '../../components/class-names.ts';
import { Icon } from '../../components/icon.tsx';
import { MiniBar } from '../../components/meter.tsx';
import { explainEfficiency, type EfficiencyWords } from './efficiency-words.ts';
import styles from './efficiency.module.css';

/** Efficiency with its bar; above 100 % it explains itself on hover, on focus and on touch. */
export function Efficiency({ row }: { row: MonitorRow }): ReactElement {
  if (row.efficiencyPercent === null) return <span className={styles.none}>–</span>;
  const words = explainEfficiency(row);
  const figure = (
    <>
      <MiniBar
        percent={row.efficiencyPercent}
        tone={row.efficiencyPercent === 0 ? 'gray' : bandOf(row.efficiencyPercent)}
      />
      <span className={styles.figure}>{formatPercent(row.efficiencyPercent)}</span>
    </>
  );
  if (words === null) return <span className={styles.plain}>{figure}</span>;
  return (
    <Explained name={row.name} words={words}>
      {figure}
    </Explained>
  );
}

function Explained({
  name,
  words,
  children,
}: {
  name: string;
  words: EfficiencyWords;
  children: ReactElement;
}): ReactElement {
  const [open, setOpen] = useState(false);
  return (
    <Popover.Root open={open} onOpenChange={(next) => setOpen(next)}>
      <Popover.Trigger
        openOnHover
        delay={80}
        closeDelay={80}
        className={cx(styles.plain, styles.trigger)}
        onFocus={(event) => {
          if (event.currentTarget.matches(':focus-visible')) setOpen(true);
        }}
        onBlur={() => setOpen(false)}
      >
        {children}
        <span className={styles.mark}>
          <Icon name="info" size={15} />
          <span className="visually-hidden">: why is the efficiency of {name} above 100%?</span>
        </span>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} align="end" collisionPadding={10}>
          <Popover.Popup className={cx(styles.popup)} initialFocus={false} finalFocus={false}>
            <Popover.Title className={cx(styles.title)} render={<p />}>
              {words.title}
            </Popover.Title>
            <Popover.Description className={cx(styles.text)} render={<div />}>
              <dl className={styles.figures}>
                {words.figures.map(({ name: figureName, value }) => (
                  <div key={figureName}>
                    <dt>{figureName}</dt>
                    <dd>{value}</dd>
                  </div>
                ))}
              </dl>
              {words.sentences.map((sentence) => (
                <p key={sentence}>{sentence}</p>
              ))}
            </Popover.Description>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

import { useState, type ReactElement } from 'react';
import { Link, useLocation } from 'wouter';
import { useConsoles } from '../data/consoles.ts';
import { Button } from '../components/button.tsx';
import { Age } from '../components/countdown.tsx';
import { Notice } from '../components/notice.tsx';
import { formatPlural } from '../format/numbers.ts';
import { groupTroubles } from '../words/console-words.ts';
import styles from './banners.module.css';

const PAGE = '/settings/consoles';

/** That a console of the group is missing or could not take over. Hidden where it is said anyway, and once it is known. */
export function GroupBanner(): ReactElement | null {
  const view = useConsoles().data;
  const [path] = useLocation();
  const [known, setKnown] = useState<ReadonlySet<string>>(new Set());
  const troubles = view === undefined ? [] : groupTroubles(view);
  const [first, ...rest] = troubles.filter(({ key }) => !known.has(key));
  if (first === undefined || path === PAGE) return null;
  const { title, remedy, heardAtMs } = first;
  return (
    <Notice
      tone="amber"
      title={
        rest.length === 0 ? title : `${title} ${formatPlural(rest.length, 'more thing', 'more things')} to look at.`
      }
      actions={
        <>
          <Link href={PAGE} className={styles.link}>
            Look at the consoles
          </Link>
          <Button small onClick={() => setKnown(new Set(troubles.map(({ key }) => key)))}>
            Hide
          </Button>
        </>
      }
    >
      {heardAtMs !== null && (
        <>
          Heard last <Age atMs={heardAtMs} />.{' '}
        </>
      )}
      {remedy}
    </Notice>
  );
}

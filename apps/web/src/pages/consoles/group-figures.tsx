import type { ReactElement } from 'react';
import type { ConsolesView, GroupView } from '@weir/protocol';
import { Address } from '../../components/address.tsx';
import { Card } from '../../components/card.tsx';
import { Age } from '../../components/countdown.tsx';
import { Details } from '../../components/details.tsx';
import { Notice } from '../../components/notice.tsx';
import { Stats, type Stat } from '../../components/stats.tsx';
import { formatCount } from '../../format/numbers.ts';
import { formatDateTime } from '../../format/time.ts';
import { answerWords, consoleName, DATABASE_KINDS, groupTroubles } from '../../words/console-words.ts';
import styles from './consoles.module.css';

/** Who leads, how many are there, and what they share; and what is wrong, with what to do. */
export function GroupFigures({ view, group }: { view: ConsolesView; group: GroupView }): ReactElement {
  return (
    <Card title="Group of consoles">
      <Stats stats={figuresOf(view, group)} />
      <div className={styles.shared}>
        <Details items={sharedOf(view, group)} />
      </div>
      <div className={styles.troubles}>
        {groupTroubles(view).map(({ key, title, remedy }) => (
          <Notice key={key} tone="amber" title={title}>
            {remedy}
          </Notice>
        ))}
      </div>
    </Card>
  );
}

function figuresOf({ consoles }: ConsolesView, group: GroupView): Stat[] {
  const [leader] = consoles;
  const here = consoles.filter(({ state }) => state === 'here').length;
  return [
    {
      name: 'Leader',
      value: leader === undefined ? 'not known' : consoleName(leader, consoles),
      detail: `term ${formatCount(group.fence)}`,
    },
    {
      name: 'Took the lead',
      value: group.leadsSinceMs === null ? 'not known' : <Age atMs={group.leadsSinceMs} />,
      detail: group.leadsSinceMs === null ? undefined : formatDateTime(group.leadsSinceMs),
    },
    {
      name: 'Consoles here',
      value: `${formatCount(here)} of ${formatCount(consoles.length)}`,
      detail: standbyWords(here - 1, group),
      tone: here < consoles.length ? 'amber' : undefined,
    },
    {
      name: 'Takeovers',
      value: formatCount(group.takeoversInDay),
      detail: 'in the last 24 h',
    },
  ];
}

function standbyWords(standbys: number, { judgesMissing, redis }: GroupView): string {
  if (redis.problem !== null) return 'who is missing cannot be told';
  if (!judgesMissing) return 'still looking who is there';
  return standbys === 0 ? 'nobody stands by' : standbys === 1 ? '1 stands by' : `${formatCount(standbys)} stand by`;
}

function sharedOf({ database }: ConsolesView, { redis }: GroupView): { name: string; value: ReactElement }[] {
  const redisWords = redis.problem === null ? answerWords(redis.answeredInMs) : 'refuses';
  return [
    { name: 'Redis', value: <SharedPlace place={redis.place} words={redisWords} /> },
    {
      name: DATABASE_KINDS[database.kind],
      value: <SharedPlace place={database.place} words={answerWords(database.answeredInMs)} />,
    },
  ];
}

/** Where something is that consoles keep their data in, and how it answers. */
export function SharedPlace({ place, words }: { place: string; words: string }): ReactElement {
  return (
    <>
      <Address address={place} />, {words}
    </>
  );
}

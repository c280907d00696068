import type { ReactElement } from 'react';
import type { ConsolesView } from '@weir/protocol';
import { Address } from '../../components/address.tsx';
import { Card } from '../../components/card.tsx';
import { Details } from '../../components/details.tsx';
import { formatDateTime } from '../../format/time.ts';
import { SharedPlace } from './group-figures.tsx';
import { answerWords, DATABASE_KINDS } from '../../words/console-words.ts';

/** A console that is alone: the same in one line, and where its data is. */
export function LoneConsole({ view: { consoles, database } }: { view: ConsolesView }): ReactElement {
  const [self] = consoles;
  const kind = DATABASE_KINDS[database.kind];
  return (
    <Card title="Consoles" description={`One console, ${kind}, no group: when it ends, nobody takes over.`}>
      <Details
        items={[
          { name: 'Address', value: self === undefined ? 'not known' : <Address address={self.url} /> },
          { name: 'Machine', value: self === undefined ? 'not known' : <Address address={self.host} /> },
          { name: 'Version', value: self?.version ?? 'not known' },
          { name: 'Runs since', value: self === undefined ? 'not known' : formatDateTime(self.startedAtMs) },
          { name: kind, value: <SharedPlace place={database.place} words={answerWords(database.answeredInMs)} /> },
        ]}
      />
    </Card>
  );
}

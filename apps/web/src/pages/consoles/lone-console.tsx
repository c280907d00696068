import type { ReactElement } from 'react';
import type { ConsolesView } from '@weir/protocol';
import { Card } from '../../components/card.tsx';
import { Details } from '../../components/details.tsx';
import { formatDateTime } from '../../format/time.ts';
import { answerWords, DATABASE_KINDS } from '../../words/console-words.ts';

/** A console that is alone: the same in one line, and where its data is. */
export function LoneConsole({ view: { consoles, database } }: { view: ConsolesView }): ReactElement {
  const [self] = consoles;
  const kind = DATABASE_KINDS[database.kind];
  return (
    <Card title="Consoles" description={`One console, ${kind}, no group: when it ends, nobody takes over.`}>
      <Details
        items={[
          { name: 'Address', value: self?.url ?? 'not known' },
          { name: 'Machine', value: self?.host ?? 'not known' },
          { name: 'Version', value: self?.version ?? 'not known' },
          { name: 'Runs since', value: self === undefined ? 'not known' : formatDateTime(self.startedAtMs) },
          { name: kind, value: `${database.place}, ${answerWords(database.answeredInMs)}` },
        ]}
      />
    </Card>
  );
}

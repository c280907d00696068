import type { ReactElement } from 'react';
import { ApiError } from '@weir/client';
import type { ConsolesView, ConsoleView, GroupView } from '@weir/protocol';
import { useConsoles } from '../../data/consoles.ts';
import { Address } from '../../components/address.tsx';
import { Badge } from '../../components/badge.tsx';
import { Card } from '../../components/card.tsx';
import { Age } from '../../components/countdown.tsx';
import { Notice } from '../../components/notice.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { Remark } from '../../components/remark.tsx';
import { Cell, Column, RowHeader, Table } from '../../components/table.tsx';
import { formatDateTime } from '../../format/time.ts';
import { consoleState, PROBLEM_WORDS } from '../../words/console-words.ts';
import { GroupFigures } from './group-figures.tsx';
import { LoneConsole } from './lone-console.tsx';
import { Takeovers } from './takeovers.tsx';
import styles from './consoles.module.css';

/** Which consoles there are, which leads, and whether what they share answers. */
export function ConsolesSection(): ReactElement {
  const consoles = useConsoles();
  // While a group is upgraded, a page of a newer standby asks a leader that does not know the question.
  if (consoles.error instanceof ApiError && consoles.error.code === 'not-found') {
    return (
      <Notice tone="info" title="The console that leads is older than this page.">
        It does not tell which consoles there are: upgrade it too.
      </Notice>
    );
  }
  return (
    <QueryState query={consoles} placeholderHeight={420}>
      {(view) => (view.group === null ? <LoneConsole view={view} /> : <Group view={view} group={view.group} />)}
    </QueryState>
  );
}

function Group({ view, group }: { view: ConsolesView; group: GroupView }): ReactElement {
  const { consoles } = view;
  return (
    <div className={styles.column}>
      <GroupFigures view={view} group={group} />
      <Card
        title="Consoles"
        description="One leads and answers everything; the others pass requests on to it, and one of them takes over when it ends."
        flush
      >
        <Table label="Consoles" head={<Head />}>
          {consoles.map((one) => (
            <ConsoleRow key={one.consoleId} console={one} leaderVersion={consoles[0]?.version} />
          ))}
        </Table>
      </Card>
      {consoles.length === 1 && group.judgesMissing && (
        <Notice tone="info" title="Nobody stands by.">
          If this console ends, nobody takes over. Start another one with the same database, Redis and secrets.
        </Notice>
      )}
      <Takeovers group={group} />
    </div>
  );
}

function Head(): ReactElement {
  return (
    <>
      <Column>Console</Column>
      <Column>State</Column>
      <Column>Version</Column>
      <Column>Runs since</Column>
      <Column hint="When it last said that it is there">Heard</Column>
    </>
  );
}

function ConsoleRow({
  console,
  leaderVersion,
}: {
  console: ConsoleView;
  leaderVersion: string | undefined;
}): ReactElement {
  const { label, tone } = consoleState(console);
  const missing = console.state === 'missing';
  return (
    <tr>
      <RowHeader>
        {console.host}
        <Remark>
          <Address address={console.url} />
        </Remark>
        {console.problems.map((problem) => (
          <span key={problem} className={styles.problem}>
            {PROBLEM_WORDS[problem].short}
          </span>
        ))}
      </RowHeader>
      <Cell name="State">
        <Badge tone={tone} dot>
          {label}
        </Badge>
      </Cell>
      <Cell name="Version">
        {console.version}
        {leaderVersion !== console.version && <Remark>not that of the leader</Remark>}
      </Cell>
      <Cell name="Runs since" className={styles.moment}>
        {missing ? 'not known' : formatDateTime(console.startedAtMs)}
      </Cell>
      <Cell name="Heard" className={styles.moment}>
        {console.seat === 'leader' ? 'answers now' : <Age atMs={console.heardAtMs} />}
        {missing && <Remark>{formatDateTime(console.heardAtMs)}</Remark>}
      </Cell>
    </tr>
  );
}

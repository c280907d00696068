import type { ReactElement } from 'react';
import { Link } from 'wouter';
import type { GroupView } from '@weir/protocol';
import { useMay } from '../../data/session.ts';
import { Address } from '../../components/address.tsx';
import { Card } from '../../components/card.tsx';
import { Remark } from '../../components/remark.tsx';
import { Cell, Column, RowHeader, Table } from '../../components/table.tsx';
import { formatCount } from '../../format/numbers.ts';
import { formatDateTime } from '../../format/time.ts';
import styles from './consoles.module.css';

/** Who took the lead in the last day. */
export function Takeovers({ group }: { group: GroupView }): ReactElement {
  const { takeovers, takeoversInDay } = group;
  return (
    <Card title="Who took the lead" description={<Description />} flush={takeovers.length > 0}>
      {takeovers.length === 0 ? (
        <Remark as="p">Nobody in the last 24 h: the leader has led for longer.</Remark>
      ) : (
        <Table label="Who took the lead" head={<Head />}>
          {takeovers.map(({ fence, atMs, host, url, version }) => (
            <tr key={fence}>
              <RowHeader>
                {formatDateTime(atMs)}
                {fence === group.fence && <Remark>leads since then</Remark>}
              </RowHeader>
              <Cell name="Console" wide>
                {host}
                <Remark>
                  <Address address={url} />
                </Remark>
              </Cell>
              <Cell name="Version">{version}</Cell>
              <Cell name="Term" numeric>
                {formatCount(fence)}
              </Cell>
            </tr>
          ))}
        </Table>
      )}
      {takeoversInDay > takeovers.length && (
        <p className={styles.more}>
          The newest {formatCount(takeovers.length)} of {formatCount(takeoversInDay)}.
        </p>
      )}
    </Card>
  );
}

function Description(): ReactElement {
  const may = useMay('admin');
  return (
    <>
      In the last 24 h, newest first.
      {may && (
        <>
          {' '}
          Earlier ones are in the <Link href="/settings/audit-log">audit log</Link>.
        </>
      )}
    </>
  );
}

function Head(): ReactElement {
  return (
    <>
      <Column>When</Column>
      <Column>Console</Column>
      <Column>Version</Column>
      <Column numeric hint="Numbers of terms are given by the database and only grow">
        Term
      </Column>
    </>
  );
}

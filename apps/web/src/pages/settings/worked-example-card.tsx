import type { ReactElement, ReactNode } from 'react';
import type { CostModelName, TransactionType } from '@weir/protocol';
import { Card } from '../../components/card.tsx';
import { Notice } from '../../components/notice.tsx';
import { Remark } from '../../components/remark.tsx';
import { formatCount, formatPercent, formatPlural, formatSetBytes, formatSetPercent } from '../../format/numbers.ts';
import { formatDuration } from '../../format/time.ts';
import { chargesOf, MULTIPART_OBJECT, type WorkedExample } from './worked-example.ts';
import styles from './worked-example-card.module.css';

const rate = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

/** The values on the page, followed through one window of one agent. */
export function WorkedExampleCard({
  example,
  types,
  costModel,
  assumedAgents,
}: {
  /** null: the values on the page cannot be used. */
  example: WorkedExample | null;
  types: Readonly<Record<TransactionType, boolean>>;
  costModel: CostModelName;
  /** Whether the number of agents is made up, because none is enrolled. */
  assumedAgents: boolean;
}): ReactElement {
  return (
    <Card title="Worked example" description="What the values on this page mean for one agent, in one window.">
      {example === null ? (
        <Notice tone="info" title="Correct the marked values to see the example." />
      ) : (
        <div className={styles.parts}>
          <Steps example={example} assumedAgents={assumedAgents} />
          <Charges example={example} types={types} costModel={costModel} />
          <Remark as="p">
            The alarm fires above {rate.format(example.alarmAboveTps)} TPS and clears below{' '}
            {rate.format(example.clearBelowTps)} TPS ({formatSetPercent(example.clearPercent)}).
          </Remark>
        </div>
      )}
    </Card>
  );
}

function Steps({ example, assumedAgents }: { example: WorkedExample; assumedAgents: boolean }): ReactElement {
  const window = formatDuration(example.windowSeconds * 1_000);
  const spent = formatDuration(example.spentInSeconds * 1_000);
  return (
    <ol className={styles.steps}>
      <Step name="Allocation" result={`${rate.format(example.allocatedTps)} TPS`}>
        {formatCount(example.globalLimitTps)} TPS ÷ {formatPlural(example.agents, 'agent')}
        {assumedAgents && ' (an example: none is enrolled)'}
      </Step>
      <Step name="Credits per window" result={formatCount(example.credits)}>
        {rate.format(example.allocatedTps)} TPS × {window}
      </Step>
      <Step name="Reported TPS" result={`${rate.format(example.reportedTps)} TPS`}>
        All spent in {spent}: {formatCount(example.credits)} ÷ {spent}; then parked for{' '}
        {formatDuration(example.parkedSeconds * 1_000)}
      </Step>
      <Step name="Efficiency" result={formatPercent(example.efficiencyPercent)}>
        {rate.format(example.reportedTps)} ÷ {rate.format(example.allocatedTps)}: the agent is hungry and gets a larger
        share
      </Step>
    </ol>
  );
}

function Step({ name, result, children }: { name: string; result: string; children: ReactNode }): ReactElement {
  return (
    <li className={styles.step}>
      <span className={styles.name}>{name}</span>
      <strong className={styles.result}>{result}</strong>
      <span className={styles.how}>{children}</span>
    </li>
  );
}

function charge(cost: number): string {
  return cost > 0 ? formatPlural(cost, 'credit') : 'not counted';
}

function Charges({
  example,
  types,
  costModel,
}: {
  example: WorkedExample;
  types: Readonly<Record<TransactionType, boolean>>;
  costModel: CostModelName;
}): ReactElement {
  const { bytes, parts } = MULTIPART_OBJECT;
  const { single, multipart } = chargesOf(types, costModel, parts);
  return (
    <>
      <table className={styles.charges}>
        <caption className={styles.caption}>What copying charges</caption>
        <tbody>
          <tr>
            <th scope="row">Listing call, up to 1,000 objects</th>
            <td>{charge(types.LIST ? 1 : 0)}</td>
          </tr>
          <tr>
            <th scope="row">Object in one part</th>
            <td>{charge(single)}</td>
          </tr>
          <tr>
            <th scope="row">
              {costModel === 'per-object'
                ? `Object in several parts, from ${formatSetBytes(bytes)}`
                : `Object of ${formatSetBytes(bytes)}, in ${parts} parts`}
            </th>
            <td>{charge(multipart)}</td>
          </tr>
        </tbody>
      </table>
      {example.objectsPerWindow === null ? (
        <Notice tone="amber" title="Nothing that copying does is counted.">
          Turn on LIST or PUT, or agents run as if limiting were off.
        </Notice>
      ) : (
        <Remark as="p">
          The credits of one window {single > 0 ? 'copy' : 'list'} about {formatCount(example.objectsPerWindow)} small
          objects{costModel === 'per-request' && single > 0 ? ', without retries and checks' : ''}.
        </Remark>
      )}
    </>
  );
}

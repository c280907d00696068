import type { ReactElement } from 'react';
import type { AlarmRuleView } from '@weir/protocol';
import { Link } from 'wouter';
import { useAlarmRules } from '../../data/webhooks.ts';
import { Badge } from '../../components/badge.tsx';
import { Card } from '../../components/card.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { Remark } from '../../components/remark.tsx';
import { Cell, Column, RowHeader, Table } from '../../components/table.tsx';
import { formatPercent, formatSetPercent } from '../../format/numbers.ts';
import { formatDuration } from '../../format/time.ts';

/** When alarms fire and end. */
export function AlarmRulesCard(): ReactElement {
  const rules = useAlarmRules();
  return (
    <Card
      title="Rules"
      description={
        <>
          The threshold is set under <Link href="/settings/tps-rate-limiting">Setup &amp; Settings</Link>.
        </>
      }
      flush
    >
      <QueryState query={rules} placeholderHeight={110}>
        {(list) => (
          <Table
            label="Alarm rules"
            head={
              <>
                <Column>Rule</Column>
                <Column>State</Column>
                <Column numeric>Now</Column>
                <Column>Fires</Column>
                <Column>Ends</Column>
              </>
            }
          >
            {list.map((rule) => (
              <RuleRow key={rule.code} rule={rule} />
            ))}
          </Table>
        )}
      </QueryState>
    </Card>
  );
}

function RuleRow({ rule }: { rule: AlarmRuleView }): ReactElement {
  const { watching, active } = rule;
  return (
    <tr>
      <RowHeader>
        {rule.code}
        <Remark>
          {rule.severity} · {rule.title}
        </Remark>
      </RowHeader>
      <Cell name="State">
        <Badge tone={!watching ? 'gray' : active ? 'amber' : 'green'} dot>
          {!watching ? 'Limiting is off' : active ? 'Active' : 'Quiet'}
        </Badge>
      </Cell>
      <Cell name="Now" numeric>
        {watching ? formatPercent(rule.value) : '–'}
      </Cell>
      <Cell name="Fires">
        above {formatSetPercent(rule.threshold)}
        <Remark>again after {formatDuration(rule.cooldownMs)} at the earliest</Remark>
      </Cell>
      <Cell name="Ends">
        {rule.clearBelow > 0 ? `below ${formatSetPercent(rule.clearBelow)}` : 'by time alone'}
        <Remark>
          looked at every {formatDuration(rule.checkEveryMs)}; at the latest {formatDuration(rule.endsAfterMs)} after
          the last firing
        </Remark>
      </Cell>
    </tr>
  );
}

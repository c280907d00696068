import type { MonitorRow } from '@weir/protocol';
import { formatCount, formatPercent, formatTps } from '../../format/numbers.ts';
import { formatDuration } from '../../format/time.ts';

/** Why an agent's efficiency reads above 100 %, with its own figures. */
export interface EfficiencyWords {
  title: string;
  figures: readonly { name: string; value: string }[];
  sentences: readonly string[];
}

type Figures = Pick<
  MonitorRow,
  | 'name'
  | 'allocatedTps'
  | 'actualTps'
  | 'efficiencyPercent'
  | 'chargedOps'
  | 'creditBudget'
  | 'exhaustedMs'
  | 'parkedOps'
>;

/** Explains an efficiency above 100 %; null when there is nothing to explain. */
export function explainEfficiency(row: Figures): EfficiencyWords | null {
  const percent = row.efficiencyPercent;
  if (percent === null || percent <= 100) return null;
  // By definition actual TPS = charged operations ÷ active seconds.
  const activeMs = row.actualTps > 0 ? (row.chargedOps / row.actualTps) * 1_000 : 0;
  const spent = formatDuration(activeMs);
  const rate = `${formatCount(row.chargedOps)} ÷ ${spent} = ${formatTps(row.actualTps)} TPS`;
  const figures = [
    { name: 'Credits of the window', value: formatCount(row.creditBudget) },
    { name: 'Spent', value: `${formatCount(row.chargedOps)} within ${spent}` },
    { name: 'Then parked for', value: formatDuration(row.exhaustedMs) },
    { name: 'Waiting for credits', value: formatCount(row.parkedOps) },
  ];
  const title = `Why ${formatPercent(percent)}?`;
  if (row.exhaustedMs === 0) {
    return {
      title,
      figures,
      sentences: [
        `${row.name} charged ${rate} in its last window; its allocation is ${formatTps(row.allocatedTps)} TPS now.`,
        'Its share changed with the latest heartbeat. The next window is measured against the new one.',
      ],
    };
  }
  return {
    title,
    figures,
    sentences: [
      `${row.name} spent its credits early and then waited for the next window: ${rate}, against ${formatTps(row.allocatedTps)} TPS allocated now.`,
      'This is working as intended: the window as a whole stayed within its credits. The agent has more work than its share covers, so the next heartbeats give it more.',
    ],
  };
}

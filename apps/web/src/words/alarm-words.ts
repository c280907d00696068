import type { AlarmView } from '@weir/protocol';
import { formatPercent, formatSetPercent } from '../format/numbers.ts';

/** One sentence on what an alarm measured. */
export function alarmSummary(alarm: AlarmView): string {
  const peak = formatPercent(alarm.peakValue);
  const threshold = formatSetPercent(alarm.threshold);
  return alarm.code === 'CV-TPS-001'
    ? `The fleet reached ${peak} of the global limit; the alarm threshold is ${threshold}.`
    : `It reached ${peak}; the threshold is ${threshold}.`;
}

/** What an operator can do, by rule; rules that this page does not know have none. */
export const ALARM_REMEDIES: Readonly<Record<string, string>> = {
  'CV-TPS-001':
    'If the storage has headroom, raise the global limit; if this utilization is normal for you, raise the alarm ' +
    'threshold. Lowering the limit makes the alarm fire more often. With 503 answers beside it, the storage is under ' +
    'stress: lower the limit and let it settle for five windows.',
};

/** How an alarm stands. */
export function alarmState(alarm: AlarmView): { label: string; tone: 'amber' | 'green' | 'gray' } {
  if (alarm.endedAtMs === null) return { label: 'Active', tone: 'amber' };
  return alarm.endedBy === 'expired' ? { label: 'Expired', tone: 'gray' } : { label: 'Cleared', tone: 'green' };
}

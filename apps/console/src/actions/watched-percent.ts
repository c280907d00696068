import type { AlarmRule } from '@weir/governor';
import type { ConsoleContext } from './context.ts';
import { utilizationPercent } from './utilization.ts';

/** What an alarm rule looks at now, and the threshold that it is held against; both in percent. */
export function watchedBy(context: ConsoleContext, rule: AlarmRule): { percent: number; thresholdPercent: number } {
  return {
    percent: rule.watches === 'utilization' ? utilizationPercent(context) : context.governing.strandedPercent,
    thresholdPercent: rule.thresholdPercent ?? context.governor.settings.alarmThresholdPercent,
  };
}

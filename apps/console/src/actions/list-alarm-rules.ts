import { ALARM_RULES } from '@weir/governor';
import type { AlarmRuleView } from '@weir/protocol';
import type { ConsoleContext } from './context.ts';
import { utilizationPercent } from './utilization.ts';

/** The alarm table, with the value that each rule looks at now. */
export function listAlarmRules(context: ConsoleContext): AlarmRuleView[] {
  const { enabled, alarmThresholdPercent } = context.governor.settings;
  const active = new Set(context.alarms.active().map(({ code }) => code));
  return ALARM_RULES.map(({ code, severity, title, clearBelow, cooldownMs, checkEveryMs, endsAfterMs }) => ({
    code,
    severity,
    title,
    threshold: alarmThresholdPercent,
    clearBelow: clearBelow(alarmThresholdPercent),
    cooldownMs,
    checkEveryMs,
    endsAfterMs,
    value: enabled ? utilizationPercent(context) : 0,
    watching: enabled,
    active: active.has(code),
  }));
}

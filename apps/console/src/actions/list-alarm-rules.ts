import { ALARM_RULES } from '@weir/governor';
import type { AlarmRuleView } from '@weir/protocol';
import type { ConsoleContext } from './context.ts';
import { watchedBy } from './watched-percent.ts';

/** The alarm table, with the value that each rule looks at now. */
export function listAlarmRules(context: ConsoleContext): AlarmRuleView[] {
  const { enabled } = context.governor.settings;
  const active = new Set(context.alarms.active().map(({ code }) => code));
  return ALARM_RULES.map((rule) => {
    const { code, severity, title, clearBelow, cooldownMs, checkEveryMs, endsAfterMs } = rule;
    const { percent, thresholdPercent } = watchedBy(context, rule);
    return {
      code,
      severity,
      title,
      threshold: thresholdPercent,
      clearBelow: clearBelow(thresholdPercent),
      cooldownMs,
      checkEveryMs,
      endsAfterMs,
      value: enabled ? percent : 0,
      watching: enabled,
      active: active.has(code),
    };
  });
}

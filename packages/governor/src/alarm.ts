/**
 * Alarms as rules in one table and one pure state machine.
 *
 *   quiet ── value > threshold, cooldown over: raised ──▶ active ── value > threshold, cooldown over: fired ──▶ active
 *   active ── at a check, value < clear level: cleared ──▶ quiet
 *   active ── `endsAfterMs` since the last firing without either: expired ──▶ quiet
 *
 * The cooldown runs from the last firing, also across the end of an alarm: a value that bounces around the threshold
 * does not raise one alarm after another. The state is plain data, so that it survives a restart in a database.
 */

/** When an alarm fires and ends. Levels in percent, times in ms. */
export interface AlarmRule {
  readonly code: string;
  readonly severity: 'WARNING' | 'CRITICAL';
  readonly title: string;
  /** What it watches, in percent: total actual TPS of the limit, or the part of the limit that idles while agents are hungry. */
  readonly watches: 'utilization' | 'stranded-budget';
  /** Threshold in percent; null: the one of the settings. */
  readonly thresholdPercent: number | null;
  /** Shortest time between two firings. */
  readonly cooldownMs: number;
  /** Without another firing or a clear the alarm ends after this time. */
  readonly endsAfterMs: number;
  /** How often `checkClear` is meant to be set. */
  readonly checkEveryMs: number;
  /** The value must be below this for the alarm to clear. */
  readonly clearBelow: (thresholdPercent: number) => number;
}

/** TPS Limit Utilization High: total actual TPS above the threshold percentage of the global limit. */
export const UTILIZATION_HIGH: AlarmRule = {
  code: 'CV-TPS-001',
  severity: 'WARNING',
  title: 'TPS Limit Utilization High',
  watches: 'utilization',
  thresholdPercent: null,
  cooldownMs: 5 * 60_000,
  endsAfterMs: 10 * 60_000,
  checkEveryMs: 60_000,
  // At least 10 points below the threshold, so that a value near it does not clear and fire in turn.
  clearBelow: (thresholdPercent) => Math.min(85, thresholdPercent - 10),
};

/** TPS Budget Stranded: some agents want more, and a good part of the limit idles with others, window after window. */
export const BUDGET_STRANDED: AlarmRule = {
  code: 'CV-TPS-002',
  severity: 'WARNING',
  title: 'TPS Budget Stranded',
  watches: 'stranded-budget',
  thresholdPercent: 20,
  cooldownMs: 5 * 60_000,
  endsAfterMs: 10 * 60_000,
  checkEveryMs: 60_000,
  clearBelow: (thresholdPercent) => thresholdPercent / 2,
};

/** Every alarm there is. */
export const ALARM_RULES: readonly AlarmRule[] = [UTILIZATION_HIGH, BUDGET_STRANDED];

/** An alarm from its first firing until its end. */
export interface ActiveAlarm {
  readonly raisedAtMs: number;
  readonly lastFiredAtMs: number;
  readonly firings: number;
  /** Highest value seen while it lasts. */
  readonly peakPercent: number;
  /** Threshold at its last firing. */
  readonly thresholdPercent: number;
}

/** All that a rule remembers between two observations. */
export interface AlarmState {
  readonly active: ActiveAlarm | null;
  /** The last firing ever, for the cooldown; null before the first. */
  readonly lastFiredAtMs: number | null;
}

/** Where every rule starts. */
export const QUIET: AlarmState = { active: null, lastFiredAtMs: null };

/** What is seen at one moment. */
export interface AlarmObservation {
  /** What the rule watches. */
  readonly utilizationPercent: number;
  readonly thresholdPercent: number;
  readonly nowMs: number;
  /** True when the engine's check is due (every 60 s): only then does an alarm clear. */
  readonly checkClear: boolean;
}

/** What became of the alarm. `raised` begins one, `fired` repeats it, `cleared` and `expired` end it. */
export interface AlarmEvent {
  readonly type: 'raised' | 'fired' | 'cleared' | 'expired';
  readonly atMs: number;
  readonly utilizationPercent: number;
  /** The alarm after a beginning or a repetition; as it was at its end. */
  readonly alarm: ActiveAlarm;
}

/**
 * Takes one observation. A utilization that is not a number is no observation: nothing happens but the passing of time.
 *
 * @returns the next state and what happened, in order: nothing, one event, or `expired` and `raised` at once when an
 *   alarm that was due to end long ago (a restart) is found to be justified again.
 */
export function observeAlarm(
  rule: AlarmRule,
  state: AlarmState,
  observation: AlarmObservation,
): { state: AlarmState; events: AlarmEvent[] } {
  const { utilizationPercent: seen, thresholdPercent, nowMs, checkClear } = observation;
  const events: AlarmEvent[] = [];
  const note = (type: AlarmEvent['type'], alarm: ActiveAlarm): void => {
    events.push({ type, atMs: nowMs, utilizationPercent: seen, alarm });
  };
  let { active, lastFiredAtMs } = state;
  if (active !== null && nowMs - active.lastFiredAtMs >= rule.endsAfterMs) {
    note('expired', active);
    active = null;
  }
  if (active !== null && seen > active.peakPercent) active = { ...active, peakPercent: seen };
  if (seen > thresholdPercent && !cooling(rule, lastFiredAtMs, nowMs)) {
    const began = active === null;
    active = {
      raisedAtMs: active?.raisedAtMs ?? nowMs,
      lastFiredAtMs: nowMs,
      firings: (active?.firings ?? 0) + 1,
      peakPercent: active?.peakPercent ?? seen,
      thresholdPercent,
    };
    lastFiredAtMs = nowMs;
    note(began ? 'raised' : 'fired', active);
  } else if (active !== null && checkClear && seen < rule.clearBelow(thresholdPercent)) {
    note('cleared', active);
    active = null;
  }
  return { state: { active, lastFiredAtMs }, events };
}

/** A clock that was set back must not silence an alarm: a last firing in the future does not count. */
function cooling(rule: AlarmRule, lastFiredAtMs: number | null, nowMs: number): boolean {
  if (lastFiredAtMs === null) return false;
  const sinceMs = nowMs - lastFiredAtMs;
  return sinceMs >= 0 && sinceMs < rule.cooldownMs;
}

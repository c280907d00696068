import {
  observeAlarm,
  QUIET,
  type ActiveAlarm,
  type AlarmEvent,
  type AlarmObservation,
  type AlarmRule,
  type AlarmState,
} from '@weir/governor';
import type { AlarmView } from '@weir/protocol';

/** What a rule remembers, and the alarm that it has raised. */
export interface RememberedRule {
  code: string;
  state: AlarmState;
  /** The alarm that is active; null while the rule is quiet. */
  alarm: AlarmView | null;
}

/** What an observation changed: to be written down. */
export interface AlarmChange {
  type: AlarmEvent['type'];
  alarm: AlarmView;
  remembered: RememberedRule;
}

/** Who has seen an alarm, and when. */
export type Acknowledgement = Pick<AlarmView, 'acknowledgedBy' | 'acknowledgedAtMs'>;

const NOTHING: readonly AlarmChange[] = [];

/** The state of every alarm rule, and the alarms that have not ended. In memory; every change is handed out for storage. */
export class AlarmBoard {
  readonly #rules = new Map<string, RememberedRule>();
  readonly #newId: () => string;
  /** The alarm of each rule that ended last. */
  readonly #ended = new Map<string, AlarmView>();

  /** @param remembered what was stored before a restart */
  constructor(remembered: readonly RememberedRule[], newId: () => string) {
    for (const rule of remembered) this.#rules.set(rule.code, rule);
    this.#newId = newId;
  }

  /** Alarms that have not ended. */
  active(): AlarmView[] {
    return [...this.#rules.values()].flatMap(({ alarm }) => (alarm === null ? [] : [alarm]));
  }

  /**
   * Takes one observation for a rule; what has to be written down, in order. An alarm that was due to end long ago, after
   * a pause or a jump of the clock, ends and another begins in one observation: each has its own id.
   */
  observe(rule: AlarmRule, observation: AlarmObservation): readonly AlarmChange[] {
    const before = this.#rules.get(rule.code) ?? { code: rule.code, state: QUIET, alarm: null };
    const { state, events } = observeAlarm(rule, before.state, observation);
    // Nearly every heartbeat: nothing has happened, and the peak has not grown.
    if (events.length === 0 && state.active === before.state.active) return NOTHING;
    let { alarm } = before;
    const seen = events.map((event) => {
      const shown = this.#viewOf(rule, event.alarm, alarm, event);
      alarm = shown.endedAtMs === null ? shown : null;
      if (alarm === null) this.#ended.set(rule.code, shown);
      return { type: event.type, alarm: shown };
    });
    // Without an event the peak may have grown all the same.
    if (state.active !== null && seen.length === 0) alarm = this.#viewOf(rule, state.active, alarm, undefined);
    const remembered = { code: rule.code, state, alarm: state.active === null ? null : alarm };
    this.#rules.set(rule.code, remembered);
    return seen.map((change) => ({ ...change, remembered }));
  }

  #viewOf(rule: AlarmRule, active: ActiveAlarm, before: AlarmView | null, event: AlarmEvent | undefined): AlarmView {
    const ended = event?.type === 'cleared' || event?.type === 'expired';
    return {
      alarmId: before?.alarmId ?? this.#newId(),
      code: rule.code,
      severity: rule.severity,
      title: rule.title,
      raisedAtMs: active.raisedAtMs,
      lastFiredAtMs: active.lastFiredAtMs,
      firings: active.firings,
      peakValue: active.peakPercent,
      threshold: active.thresholdPercent,
      endedAtMs: ended ? event.atMs : null,
      endedBy: ended ? (event.type === 'cleared' ? 'cleared' : 'expired') : null,
      acknowledgedBy: before?.acknowledgedBy ?? null,
      acknowledgedAtMs: before?.acknowledgedAtMs ?? null,
    };
  }

  /** An alarm that has ended, if it was the last of its rule; what is stored may not say so yet. */
  ended(alarmId: string): AlarmView | undefined {
    return [...this.#ended.values()].find((alarm) => alarm.alarmId === alarmId);
  }

  /** What is remembered of the rule of an alarm that has not ended; null: it has. */
  rememberedOf(alarmId: string): RememberedRule | null {
    return [...this.#rules.values()].find(({ alarm }) => alarm?.alarmId === alarmId) ?? null;
  }

  /** It is written down that somebody has seen an alarm; ignored when it has ended. */
  acknowledged(alarmId: string, by: Acknowledgement): void {
    const remembered = this.rememberedOf(alarmId);
    if (remembered !== null) this.#rules.set(remembered.code, acknowledged(remembered, by));
  }
}

/** What a rule remembers, its alarm seen by somebody. */
export function acknowledged(
  rule: RememberedRule,
  { acknowledgedBy, acknowledgedAtMs }: Acknowledgement,
): RememberedRule {
  return { ...rule, alarm: rule.alarm && { ...rule.alarm, acknowledgedBy, acknowledgedAtMs } };
}

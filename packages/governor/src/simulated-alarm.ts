import { observeAlarm, QUIET, UTILIZATION_HIGH, type AlarmState } from './alarm.ts';
import type { SimulatedWindow } from './simulation-result.ts';

const ALARM_THRESHOLD_PERCENT = 95;

/** CV-TPS-001 on the simulated time line: utilization is known from each window's end, the engine checks every 60 s. */
export class AlarmClock {
  readonly #windowMs: number;
  #state: AlarmState = QUIET;
  #nowMs = 0;
  #utilization = 0;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  windowEnds(utilization: number): SimulatedWindow['alarm'] {
    const endsAtMs = this.#nowMs + this.#windowMs;
    const every = UTILIZATION_HIGH.checkEveryMs;
    let last: SimulatedWindow['alarm'] = null;
    for (let checkMs = (Math.floor(this.#nowMs / every) + 1) * every; checkMs < endsAtMs; checkMs += every) {
      last = this.#observe(checkMs, true) ?? last;
    }
    this.#utilization = utilization;
    this.#nowMs = endsAtMs;
    return this.#observe(endsAtMs, endsAtMs % every === 0) ?? last;
  }

  #observe(nowMs: number, checkClear: boolean): SimulatedWindow['alarm'] {
    const { state, events } = observeAlarm(UTILIZATION_HIGH, this.#state, {
      utilizationPercent: this.#utilization,
      thresholdPercent: ALARM_THRESHOLD_PERCENT,
      nowMs,
      checkClear,
    });
    this.#state = state;
    const ending = events.findLast((event) => event.type !== 'fired');
    if (ending === undefined) return null;
    return ending.type === 'raised' ? 'raised' : 'cleared';
  }
}

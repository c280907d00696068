import type { AlarmView } from '@weir/protocol';
import type { Storage } from '../ports/storage.ts';

/** Alarms that have not ended, in memory. */
export class AlarmBoard {
  readonly #active: AlarmView[];

  constructor(active: readonly AlarmView[]) {
    this.#active = [...active];
  }

  /** The board as it was when the console stopped. */
  static async restored(storage: Pick<Storage, 'alarms'>): Promise<AlarmBoard> {
    return new AlarmBoard(await storage.alarms.active());
  }

  /** Alarms that have not ended, oldest first. */
  active(): AlarmView[] {
    return [...this.#active];
  }

  /** Replaces an alarm after a change. */
  put(alarm: AlarmView): void {
    const index = this.#active.findIndex(({ alarmId }) => alarmId === alarm.alarmId);
    if (index >= 0) this.#active.splice(index, 1);
    if (alarm.endedAtMs === null) this.#active.push(alarm);
  }
}

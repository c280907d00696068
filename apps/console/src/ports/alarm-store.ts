import type { AlarmView } from '@weir/protocol';

/** Alarms, past and present. */
export interface AlarmStore {
  /** Adds or replaces by id. */
  save(alarm: AlarmView): Promise<void>;
  get(alarmId: string): Promise<AlarmView | undefined>;
  /** Newest first. */
  list(limit: number): Promise<AlarmView[]>;
}

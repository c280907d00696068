import type { AlarmView } from '@weir/protocol';

/** Alarms, past and present. */
export interface AlarmStore {
  /** Adds or replaces by id. */
  save(alarm: AlarmView): Promise<void>;
  get(alarmId: string): Promise<AlarmView | undefined>;
  /** Newest first. */
  list(limit: number): Promise<AlarmView[]>;
  /** Deletes alarms that ended before a moment, at most `batch`; returns how many went. */
  prune(endedBeforeMs: number, batch: number): Promise<number>;
}

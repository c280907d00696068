import type { VersionedGovernorSettings } from '@weir/protocol';

/** Settings and small pieces of state that outlive a restart. */
export interface SettingsStore {
  governor(): Promise<VersionedGovernorSettings | undefined>;
  saveGovernor(settings: VersionedGovernorSettings): Promise<void>;
  /** A piece of state by name, as JSON text. */
  state(name: string): Promise<string | undefined>;
  saveState(name: string, json: string): Promise<void>;
}

import { TRANSACTION_TYPES, type LimiterInstructions, type VersionedGovernorSettings } from '@weir/protocol';

/** What the settings tell an agent. */
export function limiterInstructions({ version, settings }: VersionedGovernorSettings): LimiterInstructions {
  return {
    mode: settings.enabled ? 'enforced' : 'off',
    settingsVersion: version,
    chargedTypes: TRANSACTION_TYPES.filter((type) => settings.transactionTypes[type]),
  };
}

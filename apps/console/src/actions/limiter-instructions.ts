import {
  completeSettings,
  TRANSACTION_TYPES,
  type LimiterInstructions,
  type VersionedGovernorSettings,
} from '@weir/protocol';

/** What the settings tell an agent. What agrees with the documents is left out: it is what an agent does without being told. */
export function limiterInstructions({ version, settings }: VersionedGovernorSettings): LimiterInstructions {
  const { enabled, transactionTypes, costModel, pacing, consoleLost, allocationPolicy, overshootGuard } =
    completeSettings(settings);
  return {
    mode: enabled ? 'enforced' : 'off',
    settingsVersion: version,
    chargedTypes: TRANSACTION_TYPES.filter((type) => transactionTypes[type]),
    ...(costModel === 'per-request' && { costModel }),
    ...(pacing.mode === 'paced' && { pacing: { burstSeconds: pacing.burstSeconds } }),
    ...((allocationPolicy === 'max-min' || overshootGuard) && { reportChanges: true }),
    ...(consoleLost.mode === 'safe-rate' && { safeTps: consoleLost.safeTps }),
  };
}

import {
  completeSettings,
  TRANSACTION_TYPES,
  type LimiterInstructions,
  type VersionedGovernorSettings,
} from '@weir/protocol';

/** Worked out once for each version of the settings; gone with it. */
const known = new WeakMap<VersionedGovernorSettings, LimiterInstructions>();

/** What the settings tell an agent. What agrees with the documents is left out: it is what an agent does without being told. */
export function limiterInstructions(governor: VersionedGovernorSettings): LimiterInstructions {
  const instructions = known.get(governor) ?? instructionsOf(governor);
  known.set(governor, instructions);
  return instructions;
}

function instructionsOf({ version, settings }: VersionedGovernorSettings): LimiterInstructions {
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

import { Coordinator } from '@weir/governor';
import type { VersionedGovernorSettings } from '@weir/protocol';
import { MemoryStore } from '@weir/quota';
import type { Fleet, Moment } from '../fleet/fleet.ts';
import { Governing } from '../fleet/governing.ts';
import type { LeaseWatch } from '../fleet/lease-watch.ts';
import { PeriodCreditLedger } from '../fleet/period-credit-ledger.ts';
import type { Clock } from '../ports/clock.ts';
import type { Storage } from '../ports/storage.ts';
import { systemRandom } from '../security/random-source.ts';

const EPOCHS = 'coordinator-epochs';
/** Earlier lives that are remembered: their agents report within a window, or were away for longer than that matters. */
const MAX_EPOCHS = 8;

/** Starts a new life of the coordinator, with what is known of earlier ones. */
export async function openGoverning(
  storage: Storage,
  given: {
    fleet: Fleet;
    leases: LeaseWatch;
    governor: VersionedGovernorSettings;
    windowMs: number;
    clock: Clock;
    start: Moment;
  },
): Promise<{ coordinator: Coordinator; governing: Governing }> {
  const { fleet, leases, windowMs, clock, start } = given;
  const { settings } = given.governor;
  const windowSeconds = windowMs / 1_000;
  const epoch = systemRandom.id('epoch');
  const earlierEpochs = await epochsBefore(storage, epoch);
  const coordinator = new Coordinator({
    epoch,
    windowSeconds,
    enabled: settings.enabled,
    globalLimitTps: settings.globalLimitTps,
  });
  const agents = fleet.registered();
  coordinator.restore(
    agents.flatMap(({ agentId, heardAtSteadyMs }) =>
      heardAtSteadyMs === null ? [] : [{ id: agentId, lastHeartbeatAtMs: heardAtSteadyMs }],
    ),
  );
  // The steady clock: setting the machine's clock must not begin a new period while grants are live.
  const store = new MemoryStore({
    clock: () => clock.steadyMs(),
    timers: { set: (run, ms) => clock.after(ms, run) },
  });
  const governing = new Governing({
    coordinator,
    ledger: new PeriodCreditLedger(store, windowSeconds),
    windowMs,
    leases: () => leases.held(),
    settings,
    // This ledger lives in this process: it knows nothing of what an earlier one granted.
    mayBeHeld: agents.length > 0,
    earlierEpochs,
    start,
  });
  return { coordinator, governing };
}

async function epochsBefore(storage: Storage, epoch: string): Promise<string[]> {
  const stored: unknown = JSON.parse((await storage.settings.state(EPOCHS)) ?? '[]');
  const earlier = Array.isArray(stored) ? stored.filter((each) => typeof each === 'string') : [];
  await storage.settings.saveState(EPOCHS, JSON.stringify([epoch, ...earlier].slice(0, MAX_EPOCHS)));
  return earlier;
}

import { Coordinator } from '@weir/governor';
import type { VersionedGovernorSettings } from '@weir/protocol';
import { MemoryStore } from '@weir/quota';
import type { Fleet, Moment } from '../fleet/fleet.ts';
import { Governing } from '../fleet/governing.ts';
import type { LeaseWatch } from '../fleet/lease-watch.ts';
import { longestLeaseMs } from '../fleet/overshoot-guard.ts';
import { PeriodCreditLedger, type LedgerNews } from '../fleet/period-credit-ledger.ts';
import type { Clock } from '../ports/clock.ts';
import type { LedgerTier } from '../ports/credit-ledger.ts';
import type { Logger } from '../ports/logger.ts';
import type { Storage } from '../ports/storage.ts';
import { systemRandom } from '../security/random-source.ts';

const EPOCHS = 'coordinator-epochs';
/** Earlier lives that are remembered: their agents report within a window, or were away for longer than that matters. */
const MAX_EPOCHS = 8;

/**
 * Starts a new life of the coordinator, with what is known of earlier ones.
 * @param given.ledger the server that a group of consoles keeps its ledger on; null: this process keeps it
 */
export async function openGoverning(
  storage: Storage,
  given: {
    fleet: Fleet;
    leases: LeaseWatch;
    governor: VersionedGovernorSettings;
    windowMs: number;
    clock: Clock;
    log: Logger;
    ledger: LedgerTier | null;
    start: Moment;
  },
): Promise<{ coordinator: Coordinator; governing: Governing }> {
  const { fleet, leases, windowMs, clock, log, start } = given;
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
  const governing = new Governing({
    coordinator,
    ledger: new PeriodCreditLedger({
      tier: given.ledger ?? ownTier(clock),
      windowSeconds,
      leaseMs: longestLeaseMs(windowMs),
      steadyMs: () => clock.steadyMs(),
      shared: given.ledger !== null,
      onNews: (news) => tell(log, news),
    }),
    windowMs,
    leases: () => leases.held(),
    settings,
    // A ledger of this process, or one that was lost, knows nothing of what was granted before.
    mayBeHeld: agents.length > 0,
    earlierEpochs,
    start,
  });
  return { coordinator, governing };
}

/** A ledger that ends with this process. By the steady clock: setting the machine's must not begin a new period. */
function ownTier(clock: Clock): LedgerTier {
  const store = new MemoryStore({
    clock: () => clock.steadyMs(),
    timers: { set: (run, ms) => clock.after(ms, run) },
  });
  return { store, connections: () => 0 };
}

function tell(log: Logger, news: LedgerNews): void {
  if (news.available) log.info({}, 'the credit ledger answers again');
  else log.error({ error: String(news.error) }, 'the credit ledger does not answer: no grants until it does');
}

async function epochsBefore(storage: Storage, epoch: string): Promise<string[]> {
  const stored: unknown = JSON.parse((await storage.settings.state(EPOCHS)) ?? '[]');
  const earlier = Array.isArray(stored) ? stored.filter((each) => typeof each === 'string') : [];
  await storage.settings.saveState(EPOCHS, JSON.stringify([epoch, ...earlier].slice(0, MAX_EPOCHS)));
  return earlier;
}

import { FleetLimit, type Coordinator, type WindowGrant } from '@weir/governor';
import {
  completeSettings,
  scheduledLimitTps,
  type CompleteGovernorSettings,
  type GovernorSettings,
} from '@weir/protocol';
import type { CreditLedger } from '../ports/credit-ledger.ts';
import type { Moment } from './fleet.ts';
import { JobClaims, type AgentClaim } from './job-claims.ts';
import { OvershootGuard, type GuardedGrant, type GuardedRequest } from './overshoot-guard.ts';

/** However soon a window ends, heartbeats come no faster. */
const SHORTEST_INTERVAL_SECONDS = 0.1;
/** A schedule changes by the minute. */
const SCHEDULE_STEP_MS = 60_000;
/** Windows that budget must idle beside hungry agents before that is more than a transition. */
const STRANDED_WINDOWS = 3;

/** What the settings make of the coordinator: the limit of the moment, claims of jobs, the overshoot guard. */
export class Governing {
  readonly claims: JobClaims;
  /** Epochs of earlier lives of this console: their grants were real. */
  readonly earlierEpochs: ReadonlySet<string>;
  readonly #coordinator: Coordinator;
  readonly #ledger: CreditLedger;
  readonly #windowMs: number;
  readonly #limit: FleetLimit;
  #settings: CompleteGovernorSettings;
  #guard: OvershootGuard | null = null;
  #limitTps: number;
  #setTps: number;
  #scheduleUntilMs = 0;
  #stranded: number[] = [];

  /**
   * @param options.mayBeHeld whether grants of an earlier life of this console may still be live: with the guard, and a ledger
   *   that knows nothing of them, nothing is granted until those must have run out.
   */
  constructor(options: {
    coordinator: Coordinator;
    ledger: CreditLedger;
    windowMs: number;
    leases: () => Iterable<{ readonly jobId: string; readonly agentId: string }>;
    settings: GovernorSettings;
    mayBeHeld: boolean;
    earlierEpochs: readonly string[];
    start: Moment;
  }) {
    this.earlierEpochs = new Set(options.earlierEpochs);
    this.#coordinator = options.coordinator;
    this.#ledger = options.ledger;
    this.#windowMs = options.windowMs;
    this.claims = new JobClaims(options.leases);
    this.#settings = completeSettings(options.settings);
    this.#limit = new FleetLimit(options.windowMs, { setTps: this.#settings.globalLimitTps, floorTps: null });
    this.#limitTps = this.#settings.globalLimitTps;
    this.#setTps = this.#limitTps;
    this.#apply(options.start, options.mayBeHeld);
  }

  /** The limit in force: set, scheduled, or lowered after SlowDowns. */
  get limitTps(): number {
    return this.#limitTps;
  }

  /** The same, or null while the limiter is off. */
  get enforcedTps(): number | null {
    return this.#settings.enabled ? this.#limitTps : null;
  }

  /** The limit that is set or scheduled, whatever clusters ask for; null while the limiter is off. */
  get enforcedSetTps(): number | null {
    return this.#settings.enabled ? this.#setTps : null;
  }

  /** The settings in force, every one of them. */
  get settings(): CompleteGovernorSettings {
    return this.#settings;
  }

  /** Settings have changed. */
  configure(settings: GovernorSettings, moment: Moment): void {
    this.#settings = completeSettings(settings);
    this.#apply(moment, false);
  }

  /** Lets time pass for the limit; cheap, part of every heartbeat. `slowDowns`: holdoffs that began since. */
  refresh(moment: Moment, slowDowns: number): void {
    if (this.#guard !== null) void this.#ledger.keep();
    if (slowDowns > 0) this.#limit.slowDown(moment.steadyMs);
    if (moment.nowMs >= this.#scheduleUntilMs || moment.nowMs < this.#scheduleUntilMs - SCHEDULE_STEP_MS) {
      this.#followSchedule(moment.nowMs);
    }
    const limitTps = this.#limit.limitTps(moment.steadyMs);
    if (limitTps === this.#limitTps) return;
    this.#limitTps = limitTps;
    this.#configureCoordinator();
  }

  /** What an agent's jobs give it in the split. */
  claimOf(agentId: string, steadyMs: number): AgentClaim {
    return this.claims.of(agentId, steadyMs);
  }

  /** Whether grants are secured before they are handed out; a claim then brings none, since nobody knows when it was asked. */
  get guarded(): boolean {
    return this.#guard !== null;
  }

  /** Whether windows are settled early when what an agent wants has changed. */
  get settles(): boolean {
    return this.#settings.allocationPolicy === 'max-min' || this.#settings.overshootGuard;
  }

  /** Whether grants can be secured; false while the ledger is away, or waits for grants that it does not know of. */
  get ledgerReady(): boolean {
    return this.#guard === null || this.#ledger.ready;
  }

  /** What an agent gets of a computed grant: all of it and at once, unless the guard is on. @throws LedgerUnavailable */
  secure(
    request: GuardedRequest,
    computed: WindowGrant | null,
    steadyMs: number,
  ): GuardedGrant | Promise<GuardedGrant> {
    if (this.#guard !== null) return this.#guarded(this.#guard, request, computed, steadyMs);
    return { grant: computed, askAgainSeconds: this.#wantedInSeconds(request.agentId) };
  }

  async #guarded(
    guard: OvershootGuard,
    request: GuardedRequest,
    computed: WindowGrant | null,
    steadyMs: number,
  ): Promise<GuardedGrant> {
    if (computed === null) {
      await guard.release(request, steadyMs);
      return { grant: null, askAgainSeconds: null };
    }
    const budgetCredits = Math.floor((this.#limitTps * this.#windowMs) / 1_000);
    const secured = await guard.secure(request, computed, budgetCredits, steadyMs);
    return { ...secured, askAgainSeconds: secured.askAgainSeconds ?? this.#wantedInSeconds(request.agentId) };
  }

  /** When the coordinator wants to hear of an agent again; null: a window from now, as always. */
  #wantedInSeconds(agentId: string): number | null {
    const wantedMs = this.settles ? this.#coordinator.nextHeartbeatMs(agentId) : null;
    return wantedMs === null ? null : Math.max(SHORTEST_INTERVAL_SECONDS, wantedMs / 1_000);
  }

  /** The agent was revoked. */
  forget(agentId: string): void {
    this.#guard?.forget(agentId);
  }

  /** Once a window: how much of the limit was used. */
  noteUsed(usedPercent: number): void {
    const { hungryAgents } = this.#coordinator.appetite;
    const idle = this.#settings.enabled && hungryAgents > 0 ? Math.max(0, 100 - usedPercent) : 0;
    this.#stranded = [...this.#stranded, idle].slice(-STRANDED_WINDOWS);
  }

  /** Part of the limit, in percent, that has idled for three windows although agents were hungry. */
  get strandedPercent(): number {
    return this.#stranded.length < STRANDED_WINDOWS ? 0 : Math.min(...this.#stranded);
  }

  #apply(moment: Moment, mayBeHeld: boolean): void {
    const { jobShares, overshootGuard } = this.#settings;
    this.claims.configure(jobShares);
    if (!overshootGuard) this.#guard = null;
    else this.#guard ??= this.#newGuard(mayBeHeld);
    this.#followSchedule(moment.nowMs);
    this.#limitTps = this.#limit.limitTps(moment.steadyMs);
    this.#configureCoordinator();
  }

  #newGuard(mayBeHeld: boolean): OvershootGuard {
    this.#ledger.begin(mayBeHeld);
    return new OvershootGuard({
      ledger: this.#ledger,
      windowMs: this.#windowMs,
      cut: (agentId, windowNumber, allocatedTps) => this.#coordinator.cut(agentId, windowNumber, allocatedTps),
    });
  }

  #followSchedule(nowMs: number): void {
    const { limitSchedule, globalLimitTps, slowDownReaction } = this.#settings;
    this.#scheduleUntilMs = (Math.floor(nowMs / SCHEDULE_STEP_MS) + 1) * SCHEDULE_STEP_MS;
    this.#setTps = scheduledLimitTps(limitSchedule, nowMs) ?? globalLimitTps;
    this.#limit.configure({
      setTps: this.#setTps,
      floorTps: slowDownReaction.mode === 'off' ? null : slowDownReaction.floorTps,
    });
  }

  #configureCoordinator(): void {
    const { enabled, allocationPolicy: policy } = this.#settings;
    this.#coordinator.configure({ enabled, globalLimitTps: this.#limitTps, policy, settles: this.settles });
  }
}

import type { CoordinatorReport } from './coordinator-agent.ts';
import { DemandWatch, TOLD_HUNGRY_FROM } from './demand-watch.ts';
import type { ScenarioAgent } from './scenario.ts';
import type { WindowGrant } from './window-report.ts';

/** From this part of a window on, waiting means that an agent wants more than its rate can tell. */
const LIMITED_FROM = 0.9;
/** A change must last for this part of a window before it counts: two seconds of thirty. */
const LOOK_PART = 1 / 15;
/** Marks credits that have become void. */
const VOID = Number.NEGATIVE_INFINITY;
/** Rates are taken over at least so much of a window (D1: a second of 30). */
const SHORTEST_ACTIVE_PART = 1 / 30;

/** An agent on paper: it charges at its demand while it has credits, and reports as `CreditWindow` does. */
export class SimulatedAgent {
  readonly spec: ScenarioAgent;
  grant: WindowGrant | null = null;
  /** When its next heartbeat is due, in seconds; `nominal` is without jitter and repetition. */
  nextBeatAt: number;
  nominalBeatAt: number;
  /** Report under way, until a console has answered it. */
  undelivered: Pick<
    CoordinatorReport,
    'epoch' | 'windowNumber' | 'actualTps' | 'limited' | 'chargedOps' | 'recentTps'
  > | null = null;
  /** What it reported last. */
  reportedTps = 0;
  demandTps: number;
  #burstTps: number;
  #left = 0;
  #until: number = Number.POSITIVE_INFINITY;
  #charged = 0;
  #startedAt = 0;
  #exhaustedS = 0;
  #pacedS = 0;
  readonly #change: DemandWatch;

  constructor(spec: ScenarioAgent, firstBeatAt: number, windowSeconds: number) {
    this.#change = new DemandWatch(windowSeconds * LOOK_PART);
    this.spec = spec;
    this.demandTps = spec.demandTps;
    this.#burstTps = spec.burstTps;
    this.nextBeatAt = firstBeatAt;
    this.nominalBeatAt = firstBeatAt;
  }

  runs(index: number): boolean {
    return index >= this.spec.runsFrom && (this.spec.runsUntil === null || index < this.spec.runsUntil);
  }

  /** Another demand from now on; it bursts as much beyond it as before. */
  wants(demandTps: number): void {
    const times = this.spec.demandTps > 0 ? this.spec.burstTps / this.spec.demandTps : 1;
    this.demandTps = demandTps;
    this.#burstTps = demandTps * times;
  }

  /** Runs under a grant; `null`: has no credits. @param until when they become void, in seconds */
  run(grant: WindowGrant | null, now: number, until: number = Number.POSITIVE_INFINITY): void {
    this.grant = grant;
    this.#until = until;
    this.#left = grant?.creditBudget ?? 0;
    this.#charged = 0;
    this.#startedAt = now;
    this.#exhaustedS = 0;
    this.#pacedS = 0;
    this.#change.begin();
  }

  /** Its process starts anew: it remembers nothing. */
  restart(): void {
    this.undelivered = null;
    this.run(null, 0);
  }

  get liveCredits(): number {
    return this.#until === VOID ? 0 : (this.grant?.creditBudget ?? 0);
  }

  /** Whether its credits have become void by now; true once. */
  expires(now: number): boolean {
    if (this.grant === null || now < this.#until || this.#until === VOID) return false;
    this.#left = 0;
    this.#until = VOID;
    return true;
  }

  /** Whether what it wants has changed so much that the console should know before the window ends. */
  get hasNews(): boolean {
    return this.grant !== null && this.#change.isNews(this.grant.allocatedTps);
  }

  /** What it charges in the next `seconds`. */
  charge(seconds: number, paced: boolean): number {
    if (this.grant === null) return 0;
    const limited = this.demandTps * this.grant.windowSeconds > this.grant.creditBudget;
    const wanted = (limited ? this.#burstTps : this.demandTps) * seconds;
    const released = paced ? Math.min(wanted, this.grant.allocatedTps * seconds) : wanted;
    const charged = Math.min(released, this.#left);
    if (released > this.#left) this.#exhaustedS += seconds * (1 - charged / released);
    else if (wanted > released) this.#pacedS += seconds;
    this.#left -= charged;
    this.#charged += charged;
    const waits = wanted > charged * (1 + 1e-9);
    this.#change.note({ seconds, chargedOps: charged, waits });
    return charged;
  }

  /** Ends its window: what is left is void, and the report stays the same until it is delivered. */
  freeze(now: number): void {
    if (this.undelivered !== null || this.grant === null) return;
    const { epoch, windowNumber, windowSeconds } = this.grant;
    const window = Math.max(now - this.#startedAt, windowSeconds * SHORTEST_ACTIVE_PART);
    const active = Math.max(window - this.#exhaustedS, window * SHORTEST_ACTIVE_PART);
    const limited = this.#pacedS + this.#exhaustedS >= LIMITED_FROM * window;
    const recentTps = this.#change.recentTps(this.grant.allocatedTps);
    const actualTps = this.#charged / active;
    this.undelivered = {
      epoch,
      windowNumber,
      actualTps,
      limited,
      chargedOps: this.#charged,
      ...(recentTps !== undefined && { recentTps }),
    };
    this.#change.told(recentTps ?? actualTps, this.#exhaustedS + this.#pacedS >= TOLD_HUNGRY_FROM * window);
    this.run(null, now);
  }
}

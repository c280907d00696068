/**
 * The overshoot guard (B4): what the coordinator computes is a wish; what an agent gets is what a ledger has free, so that
 * the sum of live grants never passes the budget of a window. What a grant holds is a rate: its lease counts the credits
 * of a whole window at that rate, also for the rest of one, so that the rates of all live grants together stay within the
 * limit too.
 *
 * A grant is live from when it is issued until its agent reports the end of its window, or until its lease runs out: the
 * agent counts the same time from when it *asked*, so it stops first. A repeated heartbeat gets the same grant with the
 * time that is left. A new process of an agent does not get the grant of the old one, which may still be spending it: it
 * waits until that has run out.
 */
import type { WindowGrant } from '@weir/governor';
import type { Grant } from '@weir/protocol';
import type { CreditLedger, LeasedCredits } from '../ports/credit-ledger.ts';

/** What an agent asks with. */
export interface GuardedRequest {
  readonly agentId: string;
  /** New for each start of the agent's process. */
  readonly bootId: string;
  /** The window that ends with the request; null: it reports none. */
  readonly ends: { readonly epoch: string; readonly windowNumber: number } | null;
}

/** What it is answered. */
export interface GuardedGrant {
  /** Null: nothing now. */
  readonly grant: Grant | null;
  /** When to ask again, in seconds; null: as always. */
  readonly askAgainSeconds: number | null;
}

interface HeldGrant {
  readonly epoch: string;
  readonly windowNumber: number;
  readonly bootId: string;
  readonly untilMs: number;
  readonly secured: Promise<{ grant: WindowGrant; lease: LeasedCredits }>;
}

/** Part of a window that a lease outlasts it by: heartbeats are not exactly on time. */
const TOLERANCE_PART = 0.05;
/** An agent that got less than it should asks again after this part of a window at the earliest. */
const SOONEST_PART = 1 / 6;

/** Secures grants against a ledger. */
export class OvershootGuard {
  readonly #ledger: CreditLedger;
  readonly #windowMs: number;
  readonly #cut: (agentId: string, windowNumber: number, allocatedTps: number) => WindowGrant | null;
  readonly #held = new Map<string, HeldGrant>();
  readonly #blindUntilMs: number;

  /**
   * @param options.cut tells the coordinator that a grant holds fewer credits than it computed.
   * @param options.blind grants of an earlier life may be live that the ledger knows nothing of: nothing is granted until
   *   they must have run out.
   */
  constructor(options: {
    ledger: CreditLedger;
    windowMs: number;
    cut: (agentId: string, windowNumber: number, allocatedTps: number) => WindowGrant | null;
    blind: boolean;
    nowMs: number;
  }) {
    this.#ledger = options.ledger;
    this.#windowMs = options.windowMs;
    this.#cut = options.cut;
    this.#blindUntilMs = options.blind ? options.nowMs + this.longestLeaseMs : Number.NEGATIVE_INFINITY;
  }

  /** How long a grant can be live at most, in ms. */
  get longestLeaseMs(): number {
    return this.#windowMs * (1 + TOLERANCE_PART);
  }

  /** What an agent gets of the grant that was computed for it. */
  async secure(
    request: GuardedRequest,
    computed: WindowGrant,
    budgetCredits: number,
    nowMs: number,
  ): Promise<GuardedGrant> {
    const held = this.#held.get(request.agentId);
    // A lease that ran out before its answer arrived begins anew: whoever ran under it has stopped.
    const lives = held?.epoch === computed.epoch && held.windowNumber === computed.windowNumber && nowMs < held.untilMs;
    return held !== undefined && lives
      ? this.#again(held, request.bootId, nowMs)
      : this.#first(request, computed, budgetCredits, nowMs);
  }

  /** The agent was revoked: what it holds runs out. */
  forget(agentId: string): void {
    this.#held.delete(agentId);
  }

  /** The agent has no running job: what it held ends, if it says so itself; else it runs out. */
  async release(request: GuardedRequest, nowMs: number): Promise<void> {
    const held = this.#held.get(request.agentId);
    if (held === undefined || !reports(request, held)) return;
    this.#held.delete(request.agentId);
    await this.#end(held, nowMs);
  }

  async #first(
    request: GuardedRequest,
    computed: WindowGrant,
    budgetCredits: number,
    nowMs: number,
  ): Promise<GuardedGrant> {
    const { agentId, bootId } = request;
    const before = this.#held.get(agentId);
    const untilMs = nowMs + this.longestLeaseMs;
    const { epoch, windowNumber } = computed;
    const secured = this.#lease(request, before, computed, budgetCredits, nowMs, untilMs);
    this.#held.set(agentId, { epoch, windowNumber, bootId, untilMs, secured });
    const { grant } = await secured;
    return this.#answer(grant, grant.allocatedTps < computed.allocatedTps, untilMs - nowMs);
  }

  async #lease(
    request: GuardedRequest,
    before: HeldGrant | undefined,
    computed: WindowGrant,
    budgetCredits: number,
    nowMs: number,
    untilMs: number,
  ): Promise<{ grant: WindowGrant; lease: LeasedCredits }> {
    if (before !== undefined && reports(request, before)) await this.#end(before, nowMs);
    // The old process of a restarted agent may go on with what it has until that runs out.
    const wait = before !== undefined && before.bootId !== request.bootId && nowMs < before.untilMs;
    const full = Math.max(computed.creditBudget, Math.floor((computed.allocatedTps * this.#windowMs) / 1_000));
    const wanted = wait || nowMs < this.#blindUntilMs ? 0 : full;
    const lease =
      wanted === 0
        ? { credits: 0, fromMs: nowMs, untilMs }
        : await this.#ledger.lease(wanted, budgetCredits, nowMs, untilMs);
    if (lease.credits >= full) return { grant: computed, lease };
    const allocatedTps = (lease.credits * 1_000) / this.#windowMs;
    const cut = this.#cut(request.agentId, computed.windowNumber, allocatedTps);
    if (cut === null) return { grant: { ...computed, allocatedTps: 0, creditBudget: 0 }, lease };
    return { grant: { ...cut, creditBudget: Math.min(cut.creditBudget, lease.credits) }, lease };
  }

  async #again(held: HeldGrant, bootId: string, nowMs: number): Promise<GuardedGrant> {
    const { grant } = await held.secured;
    const leftMs = held.untilMs - nowMs;
    if (held.bootId !== bootId) {
      return { grant: null, askAgainSeconds: Math.max(this.#soonestSeconds, leftMs / 1_000) };
    }
    return this.#answer(grant, false, leftMs);
  }

  async #end(held: HeldGrant, nowMs: number): Promise<void> {
    const { lease } = await held.secured;
    if (lease.credits > 0 && nowMs < lease.untilMs) await this.#ledger.end(lease, nowMs);
  }

  #answer(grant: WindowGrant, cut: boolean, validMs: number): GuardedGrant {
    return {
      grant: { ...grant, validSeconds: validMs / 1_000 },
      askAgainSeconds: cut ? this.#soonestSeconds : null,
    };
  }

  get #soonestSeconds(): number {
    return (this.#windowMs * SOONEST_PART) / 1_000;
  }
}

function reports({ bootId, ends }: GuardedRequest, held: HeldGrant): boolean {
  return bootId === held.bootId && ends?.epoch === held.epoch && ends.windowNumber === held.windowNumber;
}

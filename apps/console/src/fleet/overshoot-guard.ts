/**
 * The overshoot guard (B4): what the coordinator computes is a wish; what an agent gets is what a ledger has free, so that
 * the sum of live grants never passes the budget of a window. What a grant holds is a rate: its lease counts the credits
 * of a whole window at that rate, also for the rest of one, so that the rates of all live grants together stay within the
 * limit too.
 *
 * A grant is live from when it is issued until its agent reports the end of its window, or until its lease runs out: the
 * agent counts the same time from when it *asked*, so it stops first. A repeated heartbeat gets the same grant with the
 * time that is left. A new process of an agent does not get the grant of the old one, which may still be spending it: it
 * waits until that has run out. So it is with a grant of another life of the console, which the ledger remembers: it ends
 * when its agent reports it, and else runs out.
 */
import type { WindowGrant } from '@weir/governor';
import type { Grant } from '@weir/protocol';
import type { CreditLease, CreditLedger } from '../ports/credit-ledger.ts';

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
  /** Null, or rejected, when nothing was granted: the ledger waits, or could not be asked. */
  readonly secured: Promise<Secured | null>;
}

interface Secured {
  /** Null: another life of the console granted it. */
  readonly grant: WindowGrant | null;
  readonly lease: CreditLease;
}

/** Part of a window that a lease outlasts it by: heartbeats are not exactly on time. */
const TOLERANCE_PART = 0.05;
/** An agent that got less than it should asks again after this part of a window at the earliest. */
const SOONEST_PART = 1 / 6;

/** How long a grant can be live at most, in ms. */
export function longestLeaseMs(windowMs: number): number {
  return windowMs * (1 + TOLERANCE_PART);
}

/** Secures grants against a ledger. */
export class OvershootGuard {
  readonly #ledger: CreditLedger;
  readonly #windowMs: number;
  readonly #cut: (agentId: string, windowNumber: number, allocatedTps: number) => WindowGrant | null;
  readonly #held = new Map<string, HeldGrant>();

  /** @param options.cut tells the coordinator that a grant holds fewer credits than it computed. */
  constructor(options: {
    ledger: CreditLedger;
    windowMs: number;
    cut: (agentId: string, windowNumber: number, allocatedTps: number) => WindowGrant | null;
  }) {
    this.#ledger = options.ledger;
    this.#windowMs = options.windowMs;
    this.#cut = options.cut;
  }

  /** What an agent gets of the grant that was computed for it. @throws LedgerUnavailable */
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
    if (request.ends === null) return;
    // An agent that goes idle needs no answer of the ledger: what cannot be ended runs out.
    const held = await this.#heldBy(request.agentId, nowMs).catch(() => undefined);
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
    const untilMs = nowMs + longestLeaseMs(this.#windowMs);
    const { epoch, windowNumber } = computed;
    const secured = this.#lease(request, before, computed, budgetCredits, nowMs);
    const held = { epoch, windowNumber, bootId, untilMs, secured };
    this.#held.set(agentId, held);
    try {
      const granted = await secured;
      if (granted !== null) {
        const { grant } = granted;
        return this.#answer(grant, grant.allocatedTps < computed.allocatedTps, untilMs - nowMs);
      }
      this.#replace(agentId, held, before);
      return { grant: null, askAgainSeconds: this.#soonestSeconds };
    } catch (error) {
      this.#replace(agentId, held, before);
      throw error;
    }
  }

  /** Nothing was granted; what was live before still is. */
  #replace(agentId: string, failed: HeldGrant, before: HeldGrant | undefined): void {
    if (this.#held.get(agentId) !== failed) return;
    if (before === undefined) this.#held.delete(agentId);
    else this.#held.set(agentId, before);
  }

  async #lease(
    request: GuardedRequest,
    known: HeldGrant | undefined,
    computed: WindowGrant,
    budgetCredits: number,
    nowMs: number,
  ): Promise<{ grant: WindowGrant; lease: CreditLease } | null> {
    const { agentId, bootId } = request;
    const { epoch, windowNumber } = computed;
    const before = known ?? (await this.#inherited(agentId, nowMs));
    if (before !== undefined && reports(request, before)) await this.#end(before, nowMs);
    // The old process of a restarted agent may go on with what it has until that runs out.
    const wait = before !== undefined && before.bootId !== bootId && nowMs < before.untilMs;
    const full = Math.max(computed.creditBudget, Math.floor((computed.allocatedTps * this.#windowMs) / 1_000));
    const wanted = wait ? 0 : full;
    const lease = await this.#ledger.lease({ agentId, bootId, epoch, windowNumber }, wanted, budgetCredits);
    // The coordinator need not know: it has computed what the agent gets when the wait is over.
    if (lease === null) return null;
    if (lease.credits >= full) return { grant: computed, lease };
    const allocatedTps = (lease.credits * 1_000) / this.#windowMs;
    const cut = this.#cut(agentId, windowNumber, allocatedTps);
    if (cut === null) return { grant: { ...computed, allocatedTps: 0, creditBudget: 0 }, lease };
    return { grant: { ...cut, creditBudget: Math.min(cut.creditBudget, lease.credits) }, lease };
  }

  async #again(held: HeldGrant, bootId: string, nowMs: number): Promise<GuardedGrant> {
    const grant = (await held.secured)?.grant ?? null;
    const leftMs = held.untilMs - nowMs;
    if (grant === null || held.bootId !== bootId) {
      return { grant: null, askAgainSeconds: Math.max(this.#soonestSeconds, leftMs / 1_000) };
    }
    return this.#answer(grant, false, leftMs);
  }

  async #heldBy(agentId: string, nowMs: number): Promise<HeldGrant | undefined> {
    return this.#held.get(agentId) ?? this.#inherited(agentId, nowMs);
  }

  /** What another life of the console granted last, if that can still be live. */
  async #inherited(agentId: string, nowMs: number): Promise<HeldGrant | undefined> {
    const inherited = await this.#ledger.inherited(agentId);
    if (inherited === null) return undefined;
    const { lease, leftMs } = inherited;
    const { epoch, windowNumber, bootId } = lease;
    const secured = Promise.resolve({ grant: null, lease });
    return { epoch, windowNumber, bootId, untilMs: nowMs + leftMs, secured };
  }

  async #end(held: HeldGrant, nowMs: number): Promise<void> {
    const secured = await held.secured.catch(() => null);
    if (secured !== null && nowMs < held.untilMs) await this.#ledger.end(secured.lease);
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

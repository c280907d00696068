import type { AllocationReason, GrantReason } from './allocation-reason.ts';
import { claimAt, type CoordinatorReport } from './coordinator-agent.ts';
import { ReasonBook } from './reason-book.ts';
import type { RosterAgent } from './roster.ts';
import { beatWantedInMs } from './settling.ts';
import type { WindowGrant } from './window-report.ts';
import type { WindowSchedule } from './window-schedule.ts';

/** What a grant is made from. */
export interface GrantOrder {
  readonly reason: AllocationReason;
  readonly schedule: WindowSchedule;
  /** Credits of the window that are spent already. */
  readonly aheadCredits: number;
  /** The report that it answers; null: a job. */
  readonly answered: CoordinatorReport | null;
  /** As it was passed in. */
  readonly nowMs: number;
  /** From now until the next heartbeat is due, in ms. */
  readonly dueInMs: number;
}

/** Numbers grants, computes their credits, and remembers why they are what they are. */
export class GrantDesk {
  /** See `Coordinator`. */
  settles: boolean;
  readonly #epoch: string;
  readonly #windowMs: number;
  readonly #reasons: ReasonBook;

  constructor(epoch: string, windowMs: number, settles: boolean) {
    this.#epoch = epoch;
    this.#windowMs = windowMs;
    this.settles = settles;
    this.#reasons = new ReasonBook(epoch);
  }

  /** Makes the next grant of an agent; its claim is then for the share that it holds. */
  issue(agent: RosterAgent, { reason, schedule, aheadCredits, answered, nowMs, dueInMs }: GrantOrder): WindowGrant {
    const windowSeconds = schedule.creditMs / 1_000;
    const allocatedTps = reason.shareTps;
    const creditBudget = Math.max(0, Math.floor(allocatedTps * windowSeconds - aheadCredits));
    const windowNumber = agent.windowNumber + 1;
    const grant = { epoch: this.#epoch, windowNumber, windowSeconds, allocatedTps, creditBudget };
    agent.nextBeatMs = this.settles
      ? beatWantedInMs(agent.claim, agent.grant?.allocatedTps ?? 0, allocatedTps, dueInMs, this.#windowMs)
      : this.#windowMs;
    agent.aheadCredits = aheadCredits;
    agent.windowNumber = windowNumber;
    agent.schedule = schedule;
    agent.answered = answered === null ? null : this.#answered(answered);
    agent.grantedAtMs = nowMs;
    agent.grant = grant;
    agent.claim = claimAt(agent.claim, allocatedTps);
    agent.page ??= this.#reasons.open();
    const computedCredits = creditBudget;
    this.#reasons.note(agent.page, {
      windowNumber,
      grantedAtMs: nowMs,
      reason,
      windowSeconds,
      computedCredits,
      creditBudget,
    });
    return grant;
  }

  /** Lowers the rate of an agent's grant; a higher one changes nothing. Returns the grant as it is then. */
  cut(agent: RosterAgent, grant: WindowGrant, allocatedTps: number): WindowGrant {
    if (allocatedTps >= grant.allocatedTps) return grant;
    const lackedTps = grant.allocatedTps - allocatedTps;
    const creditBudget = Math.max(0, Math.floor(grant.creditBudget - lackedTps * grant.windowSeconds));
    const { epoch, windowNumber, windowSeconds } = grant;
    const cut = { epoch, windowNumber, windowSeconds, allocatedTps, creditBudget };
    agent.grant = cut;
    agent.claim = claimAt(agent.claim, allocatedTps);
    if (agent.page !== null) this.#reasons.cut(agent.page, creditBudget);
    return cut;
  }

  /** The latest grants of an agent with their reasons, newest first, at most two. */
  why({ page }: RosterAgent): GrantReason[] {
    return page === null ? [] : this.#reasons.read(page);
  }

  /** The agent is gone. */
  forget(agent: RosterAgent): void {
    if (agent.page !== null) this.#reasons.close(agent.page);
    agent.page = null;
  }

  #answered({ epoch, windowNumber }: CoordinatorReport): RosterAgent['answered'] {
    // Every report brings a text of its own: one for all agents is kept.
    return { epoch: epoch === this.#epoch ? this.#epoch : epoch, windowNumber };
  }
}

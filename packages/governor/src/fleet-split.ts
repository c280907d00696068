/**
 * The recompute of `allocation.ts` without a pass over the fleet: O(log n) for each report and each answer.
 *
 * Every share is an offset that all of a kind have in common plus a key of the agent's own (base = budget ÷ agents):
 *
 *   hungry            0.4 × (base + bonus)   +  0.6 × runs with
 *   steady            0.4 × base             +  0.6 × runs with
 *   slack, a ≥ base   as steady: it leaves nothing of the base share unused
 *   slack, a < base   0.2 × base             +  0.2 × actual + 0.6 × runs with
 *
 * so counts and sums of keys in order answer what a pass would: the bonus needs the slack agents below base by actual
 * TPS; the sum of all shares is `0.4 × budget + 0.6 × Σ runs with`, since computed shares add up to the budget (D4);
 * minimum shares (D6) need the tally of shares above a value, asked a few times (`fitting-scale.ts`).
 *
 * Which slack agents are below base changes with the number of agents. They move between the two orders only when a
 * minimum share may matter, and then only those whose actual TPS lies between the old base and the new one.
 */
import {
  appetiteOf,
  enforcedLimit,
  givenBack,
  GIVEN_BACK,
  smoothed,
  SMOOTHING,
  type Appetite,
  type RunningAgent,
} from './allocation.ts';
import type { ReclaimReason } from './allocation-reason.ts';
import { fittingScale, MIN_AGENT_TPS, type Tally } from './fitting-scale.ts';
import { OrderedTallies, type Place } from './ordered-tallies.ts';
import type { Split } from './split.ts';

const RUNS_WITH_WEIGHT = 1 - SMOOTHING;

/** An agent with its places in the orders of its kind. */
interface Member {
  agent: RunningAgent;
  appetite: Appetite;
  /** In the `giving` orders; otherwise in `hungry` or `steady`. */
  giving: boolean;
  /** Its place by what it runs with. */
  byRunsWith: Place;
  /** Its place by its share, when giving. */
  byShare: Place;
  /** Its place by actual TPS, when slack. */
  byActual: Place;
}

/** Stands for a place that a member does not have. */
const NO_PLACE: Place = -1;

/** What all agents have in common in one recompute. */
interface Outlook {
  readonly base: number;
  readonly reclaiming: boolean;
  readonly bonus: number;
  readonly scale: number;
}

/** The policy `reclaim` without a pass over the fleet. */
export class FleetSplit implements Split {
  #budget: number;
  readonly #members = new Map<string, Member>();
  readonly #hungry = new OrderedTallies<Member>();
  readonly #steady = new OrderedTallies<Member>();
  readonly #slackByActual = new OrderedTallies<Member>();
  readonly #givingByRunsWith = new OrderedTallies<Member>();
  readonly #givingByShare = new OrderedTallies<Member>();
  /** Slack agents with less actual TPS than this are in the `giving` orders, the others in `steady`. */
  #givingBelow = 0;
  #outlook: Outlook | null = null;

  /** @param globalLimitTps budget in TPS; a value below 100 counts as 100. */
  constructor(globalLimitTps: number) {
    this.#budget = enforcedLimit(globalLimitTps);
  }

  get size(): number {
    return this.#members.size;
  }

  get hungry(): number {
    return this.#hungry.total.count;
  }

  set globalLimitTps(limit: number) {
    this.#budget = enforcedLimit(limit);
    this.#outlook = null;
  }

  agents(): RunningAgent[] {
    return Array.from(this.#members.values(), ({ agent }) => agent);
  }

  put(agent: RunningAgent): void {
    const appetite = appetiteOf(agent);
    this.#outlook = null;
    const known = this.#members.get(agent.id);
    if (known !== undefined) {
      this.#move(known, agent, appetite);
      return;
    }
    const member: Member = {
      agent,
      appetite,
      giving: false,
      byRunsWith: NO_PLACE,
      byShare: NO_PLACE,
      byActual: NO_PLACE,
    };
    this.#members.set(agent.id, member);
    this.#enterAll(member);
  }

  /** Its new places; it keeps those that are as before: a report changes what it uses, the grant that follows what it runs with. */
  #move(member: Member, agent: RunningAgent, appetite: Appetite): void {
    const { agent: before, appetite: was } = member;
    const sameUse = before.actualTps === agent.actualTps && was === appetite;
    const sameOrder = was === appetite && appetite !== 'slack';
    if (sameOrder && before.allocatedTps === agent.allocatedTps) {
      // Neither order looks at what it uses.
      member.agent = agent;
    } else if (sameUse) {
      this.#leave(member);
      member.agent = agent;
      this.#enter(member);
    } else {
      this.#leaveAll(member);
      member.agent = agent;
      member.appetite = appetite;
      this.#enterAll(member);
    }
  }

  remove(id: string): void {
    const member = this.#members.get(id);
    if (member === undefined) return;
    this.#members.delete(id);
    this.#leaveAll(member);
    this.#outlook = null;
  }

  nextTps(id: string): number | undefined {
    return this.explain(id)?.shareTps;
  }

  explain(id: string): ReclaimReason | undefined {
    const member = this.#members.get(id);
    if (member === undefined) return undefined;
    this.#outlook ??= this.#lookAhead();
    const { base, reclaiming, bonus, scale } = this.#outlook;
    const { appetite, agent } = member;
    const bonusTps = reclaiming && appetite === 'hungry' ? bonus : 0;
    const givenBackTps = reclaiming && appetite === 'slack' ? givenBack(base, agent.actualTps ?? 0) : 0;
    const share = smoothed(base + bonusTps - givenBackTps, agent.allocatedTps);
    return {
      rule: 'reclaim',
      limitTps: this.#budget,
      activeAgents: this.#members.size,
      hungryAgents: this.hungry,
      appetite,
      actualTps: agent.actualTps,
      runsWithTps: agent.allocatedTps,
      baseTps: base,
      givenBackTps,
      bonusTps,
      scale,
      shareTps: Math.max(MIN_AGENT_TPS, scale * share),
    };
  }

  #enterAll(member: Member): void {
    const { agent, appetite } = member;
    member.byActual = appetite === 'slack' ? this.#slackByActual.add(agent.actualTps ?? 0, member) : NO_PLACE;
    this.#enter(member);
  }

  #enter(member: Member): void {
    const { allocatedTps, actualTps } = member.agent;
    member.giving = member.appetite === 'slack' && (actualTps ?? 0) < this.#givingBelow;
    member.byRunsWith = this.#orderOf(member).add(allocatedTps, member);
    if (!member.giving) return;
    const shareKey = SMOOTHING * GIVEN_BACK * (actualTps ?? 0) + RUNS_WITH_WEIGHT * allocatedTps;
    member.byShare = this.#givingByShare.add(shareKey, member);
  }

  /** Takes the member out of the orders that depend on its kind. */
  #leave(member: Member): void {
    this.#orderOf(member).remove(member.byRunsWith);
    if (member.giving) this.#givingByShare.remove(member.byShare);
  }

  #leaveAll(member: Member): void {
    this.#leave(member);
    if (member.byActual !== NO_PLACE) this.#slackByActual.remove(member.byActual);
  }

  #orderOf({ giving, appetite }: Member): OrderedTallies<Member> {
    if (giving) return this.#givingByRunsWith;
    return appetite === 'hungry' ? this.#hungry : this.#steady;
  }

  #lookAhead(): Outlook {
    const base = this.#budget / this.#members.size;
    const hungry = this.#hungry.total.count;
    const reclaiming = hungry > 0;
    const giving = reclaiming ? this.#slackByActual.below(base) : { count: 0, sum: 0 };
    const bonus = reclaiming ? Math.max(0, (GIVEN_BACK * (giving.count * base - giving.sum)) / hungry) : 0;
    return { base, reclaiming, bonus, scale: this.#scale(base, reclaiming, bonus) };
  }

  #scale(base: number, reclaiming: boolean, bonus: number): number {
    const runsWith = this.#hungry.total.sum + this.#steady.total.sum + this.#givingByRunsWith.total.sum;
    const all: Tally = { count: this.#members.size, sum: smoothed(this.#budget, runsWith) };
    const capped = Math.min(1, this.#budget / all.sum);
    // Nobody has a smaller share than a slack agent that used nothing and runs with nothing.
    if (capped * SMOOTHING * (1 - GIVEN_BACK) * base >= MIN_AGENT_TPS) return capped;
    this.#sortSlackAt(base);
    return fittingScale(this.#budget, all, (least) => this.#sharesFrom(least, base, reclaiming, bonus));
  }

  /** Tally of the shares ≥ `least`. */
  #sharesFrom(least: number, base: number, reclaiming: boolean, bonus: number): Tally {
    const common = SMOOTHING * base;
    const giving = reclaiming
      ? shifted(this.#givingByShare, least, (1 - GIVEN_BACK) * common, 1)
      : shifted(this.#givingByRunsWith, least, common, RUNS_WITH_WEIGHT);
    const steady = shifted(this.#steady, least, common, RUNS_WITH_WEIGHT);
    const hungry = shifted(this.#hungry, least, common + SMOOTHING * bonus, RUNS_WITH_WEIGHT);
    return { count: giving.count + steady.count + hungry.count, sum: giving.sum + steady.sum + hungry.sum };
  }

  #sortSlackAt(base: number): void {
    const [from, to] = base > this.#givingBelow ? [this.#givingBelow, base] : [base, this.#givingBelow];
    this.#givingBelow = base;
    for (const member of this.#slackByActual.between(from, to)) {
      this.#leave(member);
      this.#enter(member);
    }
  }
}

/** Tally of `offset + weight × key` over all keys for which that is ≥ `least`. */
function shifted(order: OrderedTallies<Member>, least: number, offset: number, weight: number): Tally {
  const { count, sum } = order.atOrAbove((least - offset) / weight);
  return { count, sum: count * offset + weight * sum };
}

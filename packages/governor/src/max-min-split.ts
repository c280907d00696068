import { enforcedLimit, type RunningAgent } from './allocation.ts';
import type { MaxMinReason } from './allocation-reason.ts';
import { claimOf, lookAhead, shareOf, type Claim, type Outlook } from './max-min.ts';
import { OrderedTallies, type Place } from './ordered-tallies.ts';
import type { Split } from './split.ts';

interface Member {
  agent: RunningAgent;
  claim: Claim;
  hungry: boolean;
  floor: Place;
  /** Its place by what it uses, when that is known. */
  use: Place | null;
}

/** The policy `max-min` without a pass over the fleet: O(log n) for each report and each answer. */
export class MaxMinSplit implements Split {
  #budget: number;
  readonly #members = new Map<string, Member>();
  readonly #floors = new OrderedTallies<null>();
  readonly #uses = new OrderedTallies<null>();
  readonly #newcomers = new OrderedTallies<null>();
  #outlook: Outlook | null = null;
  /** Agents that want it all. */
  #open = 0;
  #hungry = 0;
  #guess = 0;

  /** @param globalLimitTps budget in TPS; a value below 100 counts as 100. */
  constructor(globalLimitTps: number) {
    this.#budget = enforcedLimit(globalLimitTps);
  }

  get size(): number {
    return this.#members.size;
  }

  get hungry(): number {
    return this.#hungry;
  }

  set globalLimitTps(limit: number) {
    this.#budget = enforcedLimit(limit);
    this.#outlook = null;
  }

  agents(): RunningAgent[] {
    return Array.from(this.#members.values(), ({ agent }) => agent);
  }

  put(agent: RunningAgent): void {
    const claim = claimOf(agent);
    // Not by the ratio of 0.9: whoever has what it uses and a little more is content here.
    const hungry = agent.limited === true || (agent.actualTps !== null && agent.actualTps >= agent.allocatedTps);
    const member = this.#members.get(agent.id);
    if (member === undefined) {
      const places = { floor: this.#addFloor(claim), use: this.#addUse(claim) };
      this.#members.set(agent.id, { agent, claim, hungry, ...places });
    } else {
      this.#uncount(member);
      this.#move(member, claim);
      member.agent = agent;
      member.claim = claim;
      member.hungry = hungry;
    }
    if (claim.useTps === 'all') this.#open += 1;
    if (hungry) this.#hungry += 1;
    this.#outlook = null;
  }

  /** Its new places; where the order and the key are the same it keeps the old one: a grant changes one of them or none. */
  #move(member: Member, { weight, floorTps, useTps }: Claim): void {
    const { claim: before } = member;
    const sameWeight = before.weight === weight;
    const sameOrder = (before.useTps === 'new') === (useTps === 'new');
    if (!sameWeight || !sameOrder || before.floorTps !== floorTps) {
      this.#floorsOf(before).remove(member.floor);
      member.floor = this.#addFloor({ weight, floorTps, useTps });
    }
    if (sameWeight && before.useTps === useTps) return;
    if (member.use !== null) this.#uses.remove(member.use);
    member.use = this.#addUse({ weight, floorTps, useTps });
  }

  #floorsOf({ useTps }: Claim): OrderedTallies<null> {
    return useTps === 'new' ? this.#newcomers : this.#floors;
  }

  #addFloor(claim: Claim): Place {
    return this.#floorsOf(claim).add(claim.floorTps / claim.weight, null, claim.weight);
  }

  #addUse({ useTps, weight }: Claim): Place | null {
    return typeof useTps === 'number' ? this.#uses.add(useTps / weight, null, weight) : null;
  }

  #uncount({ claim, hungry }: Member): void {
    if (claim.useTps === 'all') this.#open -= 1;
    if (hungry) this.#hungry -= 1;
  }

  remove(id: string): void {
    const member = this.#members.get(id);
    if (member === undefined) return;
    this.#members.delete(id);
    this.#floorsOf(member.claim).remove(member.floor);
    if (member.use !== null) this.#uses.remove(member.use);
    this.#uncount(member);
    this.#outlook = null;
  }

  nextTps(id: string): number | undefined {
    const member = this.#members.get(id);
    if (member === undefined) return undefined;
    return shareOf(member.claim, this.#look());
  }

  explain(id: string): MaxMinReason | undefined {
    const member = this.#members.get(id);
    if (member === undefined) return undefined;
    const outlook = this.#look();
    const { weight, floorTps, useTps } = member.claim;
    return {
      rule: 'max-min',
      limitTps: this.#budget,
      activeAgents: this.#members.size,
      hungryAgents: this.#hungry,
      useTps: typeof useTps === 'number' ? useTps : null,
      wants: typeof useTps === 'number' ? 'use' : useTps,
      weight,
      floorTps,
      headroomPercent: 'headroom' in outlook ? outlook.headroom * 100 : 0,
      levelTps: outlook.kind === 'level' ? outlook.levelTps : null,
      spareTps: outlook.kind === 'plenty' ? weight * outlook.sparePerWeight : 0,
      shareTps: shareOf(member.claim, outlook),
    };
  }

  #look(): Outlook {
    if (this.#outlook !== null) return this.#outlook;
    const heard = this.#floors.total;
    const known = this.#uses.total;
    const newcomers = this.#newcomers.total;
    this.#outlook = lookAhead(this.#budget, {
      floors: this.#floors,
      uses: this.#uses,
      newcomers: this.#newcomers,
      agents: this.#members.size,
      weight: heard.count + newcomers.count,
      floorTps: heard.sum + newcomers.sum,
      // A difference of sums that add up in another order: what is left of rounding is no agent.
      openWeight: this.#open === 0 ? 0 : Math.max(0, heard.count - known.count),
      guess: this.#guess,
    });
    if (this.#outlook.kind === 'level') this.#guess = this.#outlook.levelTps;
    return this.#outlook;
  }
}

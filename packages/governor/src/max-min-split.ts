import { enforcedLimit, type RunningAgent } from './allocation.ts';
import type { MaxMinReason } from './allocation-reason.ts';
import { claimOf, lookAhead, shareOf, type Claim, type Outlook } from './max-min.ts';
import { OrderedTallies, type Place } from './ordered-tallies.ts';
import type { Split } from './split.ts';

interface Member {
  readonly agent: RunningAgent;
  readonly claim: Claim;
  readonly hungry: boolean;
  readonly floor: Place;
  /** Its place by what it uses, when that is known. */
  readonly use: Place | null;
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
    this.remove(agent.id);
    const claim = claimOf(agent);
    const { weight, floorTps, useTps } = claim;
    const floors = useTps === 'new' ? this.#newcomers : this.#floors;
    // Not by the ratio of 0.9: whoever has what it uses and a little more is content here.
    const hungry = agent.limited === true || (agent.actualTps !== null && agent.actualTps >= agent.allocatedTps);
    if (useTps === 'all') this.#open += 1;
    if (hungry) this.#hungry += 1;
    this.#members.set(agent.id, {
      agent,
      claim,
      hungry,
      floor: floors.add(floorTps / weight, null, weight),
      use: typeof useTps === 'number' ? this.#uses.add(useTps / weight, null, weight) : null,
    });
    this.#outlook = null;
  }

  remove(id: string): void {
    const member = this.#members.get(id);
    if (member === undefined) return;
    this.#members.delete(id);
    (member.claim.useTps === 'new' ? this.#newcomers : this.#floors).remove(member.floor);
    if (member.use !== null) this.#uses.remove(member.use);
    if (member.claim.useTps === 'all') this.#open -= 1;
    if (member.hungry) this.#hungry -= 1;
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

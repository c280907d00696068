/**
 * A fleet in real time, on paper: the coordinator of production, agents whose heartbeats come staggered, early, late, twice
 * or not at all, processes and consoles that are restarted, clocks that jump, limits and demands that change. Played in
 * steps of a thirtieth of a window: a second of the default one.
 */
import { enforcedLimit } from './allocation.ts';
import { utilizationPercent } from './bands.ts';
import { Coordinator } from './coordinator.ts';
import { exactSum } from './exact-sum.ts';
import { LeaseBook } from './lease-book.ts';
import type { Scenario } from './scenario.ts';
import type { ScenarioFleet } from './scenario-fleet.ts';
import { AlarmClock } from './simulated-alarm.ts';
import { SimulatedAgent } from './simulated-agent.ts';
import { byId, moved, summarize, type SimulatedWindow, type SimulationResult } from './simulation-result.ts';
import type { WindowGrant } from './window-report.ts';

const STEPS_PER_WINDOW = 30;
/** A heartbeat that was not answered is repeated after 1 to 10 s of a window of 30. */
const RETRY_PARTS: readonly [number, number] = [1 / 30, 10 / 30];
/** As in the console: a lease outlasts its window by 5 %, and who got less than it should asks again after a sixth. */
const LEASE_PARTS = 1.05;
const ASK_AGAIN_PART = 1 / 6;

/** Plays a scenario second by second. Deterministic. */
export function simulateFleet(scenario: Scenario, fleet: ScenarioFleet): SimulationResult {
  return new FleetRun(scenario, fleet).play();
}

class FleetRun {
  readonly #scenario: Scenario;
  readonly #fleet: ScenarioFleet;
  readonly #agents: SimulatedAgent[];
  readonly #windowS: number;
  readonly #random: () => number;
  readonly #settles: boolean;
  #coordinator: Coordinator;
  #book = new LeaseBook();
  #blindUntilS = 0;
  #limitTps: number;
  #life = 0;
  #clockOffsetMs = 0;
  #live = 0;
  #highestLive = 0;
  #heartbeats = 0;

  constructor(scenario: Scenario, fleet: ScenarioFleet) {
    this.#scenario = scenario;
    this.#fleet = fleet;
    this.#windowS = scenario.windowSeconds;
    this.#random = randomFrom(fleet.seed);
    this.#settles = fleet.overshootGuard || scenario.policy === 'max-min';
    this.#limitTps = enforcedLimit(scenario.globalLimitTps);
    const { length } = scenario.agents;
    this.#agents = scenario.agents.map((spec, index) => {
      const part = fleet.heartbeats === 'together' ? 1 : (index + 1) / length;
      return new SimulatedAgent(spec, part * scenario.windowSeconds, scenario.windowSeconds);
    });
    this.#coordinator = this.#newConsole();
  }

  play(): SimulationResult {
    const { windows: count } = this.#scenario;
    const windows: SimulatedWindow[] = [];
    const alarm = new AlarmClock(this.#windowS * 1_000);
    const fairness: number[] = [];
    let before: readonly number[] | null = null;
    let settledAt = 0;
    let chargedOps = 0;
    let peak = 0;
    this.#startTogether();
    for (let index = 0; index < count; index += 1) {
      this.#beginWindow(index);
      const { charged, peakStep } = this.#playWindow(index);
      const stepOps = (this.#limitTps * this.#windowS) / STEPS_PER_WINDOW;
      peak = Math.max(peak, peakStep / stepOps);
      chargedOps += charged;
      const allocated = this.#agents.map((agent) => agent.grant?.allocatedTps ?? 0);
      const actual = this.#agents.map((agent) => (agent.runs(index) ? agent.reportedTps : 0));
      const utilization = utilizationPercent(exactSum(actual), this.#limitTps);
      windows.push({
        index,
        allocatedTps: byId(this.#scenario.agents, allocated),
        actualTps: byId(this.#scenario.agents, actual),
        usedPercent: (charged / (this.#limitTps * this.#windowS)) * 100,
        utilizationPercent: utilization,
        alarm: alarm.windowEnds(utilization),
      });
      if (before !== null && moved(before, allocated)) settledAt = index;
      before = allocated;
      const jain = this.#fairness(index);
      if (jain !== null) fairness.push(jain);
    }
    const settled = settledAt > 0 && settledAt === windows.length - 1 ? null : settledAt;
    const summary = summarize(this.#scenario, windows, chargedOps, settled);
    const jainIndex = fairness.length === 0 ? null : exactSum(fairness) / fairness.length;
    const highestLivePercent = (this.#highestLive / (this.#limitTps * this.#windowS)) * 100;
    const real = { peakPercent: peak * 100, highestLivePercent, jainIndex, heartbeats: this.#heartbeats };
    return { windows, summary: { ...summary, fleet: real } };
  }

  /** All agents are online before the first accepts a job, so that the first grants share the budget (D7). */
  #startTogether(): void {
    for (const { spec } of this.#agents) this.#heartbeat(spec.id, 0, null, 0);
    for (const agent of this.#agents) if (agent.runs(0)) this.#acceptJob(agent, 0);
  }

  #beginWindow(index: number): void {
    const now = index * this.#windowS;
    this.#expire(now);
    for (const jump of this.#fleet.clockJumps) if (jump.window === index) this.#clockOffsetMs += jump.seconds * 1_000;
    for (const limit of this.#fleet.limits) {
      if (limit.from !== index) continue;
      this.#limitTps = enforcedLimit(limit.globalLimitTps);
      this.#coordinator.configure({ enabled: true, globalLimitTps: limit.globalLimitTps, settles: this.#settles });
    }
    if (index > 0 && this.#fleet.consoleRestarts.includes(index)) {
      this.#coordinator = this.#newConsole();
      this.#book = new LeaseBook();
      this.#blindUntilS = now + LEASE_PARTS * this.#windowS;
    }
    for (const agent of this.#agents) {
      for (const step of agent.spec.demandSteps ?? []) if (step.from === index) agent.wants(step.demandTps);
      if (agent.spec.restarts?.includes(index) === true) {
        this.#live -= agent.liveCredits;
        agent.restart();
        agent.nextBeatAt = now;
      }
      if (index > 0 && agent.spec.runsFrom === index) this.#acceptJob(agent, now);
    }
  }

  #playWindow(index: number): { charged: number; peakStep: number } {
    const stepS = this.#windowS / STEPS_PER_WINDOW;
    let charged = 0;
    let peakStep = 0;
    for (let step = 0; step < STEPS_PER_WINDOW; step += 1) {
      const now = index * this.#windowS + step * stepS;
      this.#expire(now);
      for (const agent of this.#agents) {
        const early = this.#settles && agent.hasNews;
        if (early || agent.nextBeatAt <= now + 1e-9) this.#beat(agent, now, index);
      }
      let inStep = 0;
      for (const agent of this.#agents) inStep += agent.charge(stepS, this.#fleet.burstSeconds !== null);
      charged += inStep;
      peakStep = Math.max(peakStep, inStep);
    }
    return { charged, peakStep };
  }

  #beat(agent: SimulatedAgent, now: number, index: number): void {
    this.#live -= agent.liveCredits;
    agent.freeze(now);
    const { lossPercent } = this.#fleet;
    const lost = this.#random() * 100 < lossPercent ? (this.#random() < 0.5 ? 'request' : 'answer') : null;
    const runningJobs = agent.runs(index) ? 1 : 0;
    const answer = lost === 'request' ? null : this.#heartbeat(agent.spec.id, runningJobs, agent.undelivered, now);
    if (lost !== null || answer === null) {
      const [from, to] = RETRY_PARTS;
      agent.nextBeatAt = now + (from + this.#random() * (to - from)) * this.#windowS;
      return;
    }
    agent.reportedTps = agent.undelivered?.actualTps ?? 0;
    agent.undelivered = null;
    this.#run(agent, answer.grant, now);
    if (answer.askAgainS !== null) {
      agent.nextBeatAt = now + answer.askAgainS + this.#jitter();
      agent.nominalBeatAt = agent.nextBeatAt;
      return;
    }
    agent.nominalBeatAt = Math.max(agent.nominalBeatAt, now - this.#fleet.jitterSeconds) + this.#windowS;
    agent.nextBeatAt = agent.nominalBeatAt + this.#jitter();
  }

  #expire(now: number): void {
    for (const agent of this.#agents) {
      const credits = agent.liveCredits;
      if (agent.expires(now + 1e-9)) this.#live -= credits;
    }
  }

  #jitter(): number {
    return (2 * this.#random() - 1) * this.#fleet.jitterSeconds;
  }

  #heartbeat(
    id: string,
    runningJobs: number,
    report: SimulatedAgent['undelivered'],
    now: number,
  ): { grant: WindowGrant | null; askAgainS: number | null } | null {
    this.#heartbeats += 1;
    const said = { epoch: null, windowNumber: null, actualTps: 0, ...report, runningJobs, limiter: true };
    const grant = this.#coordinator.heartbeat(id, said, now * 1_000 + this.#clockOffsetMs);
    if (!this.#fleet.overshootGuard) return { grant, askAgainS: this.#soon(id) };
    if (grant !== null) return this.#secure(id, grant, now);
    this.#book.end(id);
    return { grant: null, askAgainS: null };
  }

  #secure(id: string, grant: WindowGrant, now: number): { grant: WindowGrant; askAgainS: number | null } {
    const budget = Math.floor(this.#limitTps * this.#windowS);
    // What it holds is a rate: a lease counts the credits of a whole window at it, also for the rest of one.
    const wanted = now < this.#blindUntilS ? 0 : Math.floor(grant.allocatedTps * this.#windowS);
    const leased = this.#book.lease(id, wanted, budget, now * 1_000, (now + LEASE_PARTS * this.#windowS) * 1_000);
    if (wanted > 0 && leased >= wanted) return { grant, askAgainS: this.#soon(id) };
    const cut = this.#coordinator.cut(id, grant.windowNumber, leased / this.#windowS) ?? grant;
    return { grant: cut, askAgainS: ASK_AGAIN_PART * this.#windowS };
  }

  /** When the coordinator wants to hear of an agent again, in seconds; null: when its window ends, as always. */
  #soon(id: string): number | null {
    const nextMs = this.#coordinator.nextHeartbeatMs(id);
    return nextMs === null || !this.#settles ? null : nextMs / 1_000;
  }

  #acceptJob(agent: SimulatedAgent, now: number): void {
    if (agent.grant !== null) return;
    const { id, initialAllocatedTps } = agent.spec;
    if (this.#fleet.overshootGuard) {
      const answer = this.#heartbeat(id, 1, null, now);
      if (answer === null) return;
      this.#run(agent, answer.grant, now);
      if (answer.askAgainS !== null) agent.nextBeatAt = now + answer.askAgainS;
      return;
    }
    const grant = this.#coordinator.acceptJob(id, now * 1_000 + this.#clockOffsetMs);
    if (grant === null) return;
    const creditBudget = Math.floor((initialAllocatedTps ?? grant.allocatedTps) * grant.windowSeconds);
    this.#run(
      agent,
      initialAllocatedTps === null ? grant : { ...grant, allocatedTps: initialAllocatedTps, creditBudget },
      now,
    );
  }

  #run(agent: SimulatedAgent, grant: WindowGrant | null, now: number): void {
    agent.run(grant, now, this.#fleet.overshootGuard ? now + LEASE_PARTS * this.#windowS : Number.POSITIVE_INFINITY);
    this.#live += agent.liveCredits;
    this.#highestLive = Math.max(this.#highestLive, this.#live);
  }

  #newConsole(): Coordinator {
    this.#life += 1;
    const coordinator = new Coordinator({
      epoch: `life-${this.#life}`,
      windowSeconds: this.#windowS,
      enabled: true,
      globalLimitTps: this.#limitTps,
      policy: this.#scenario.policy,
      settles: this.#settles,
    });
    if (this.#life > 1) {
      const lastHeartbeatAtMs = this.#clockOffsetMs;
      coordinator.restore(
        this.#agents.map(({ spec, nextBeatAt }) => ({
          id: spec.id,
          lastHeartbeatAtMs: lastHeartbeatAtMs + (nextBeatAt - this.#windowS) * 1_000,
        })),
      );
    }
    return coordinator;
  }

  /** Jain's index over what those were given that wanted more than they had: 1 when all have the same. */
  #fairness(index: number): number | null {
    const shares = this.#agents.flatMap((agent) => {
      const given = agent.grant?.allocatedTps ?? 0;
      return agent.runs(index) && given > 0 && agent.demandTps > given ? [given] : [];
    });
    if (shares.length < 2) return null;
    const sum = exactSum(shares);
    return (sum * sum) / (shares.length * exactSum(shares.map((share) => share * share)));
  }
}

/** Xorshift: the same numbers for the same seed, uniform in [0, 1). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/**
 * A fleet on paper: the same policy, alarm and credit arithmetic as in production, with every agent's heartbeat at the
 * end of the window and demand that is known. Used by `weir simulate` to try limits and policies before agents run.
 */
import { observeAlarm, QUIET, UTILIZATION_HIGH, type AlarmState } from './alarm.ts';
import { enforcedLimit, equalSplit, type RunningAgent } from './allocation.ts';
import { utilizationPercent } from './bands.ts';
import { exactSum } from './exact-sum.ts';
import { POLICIES, type PolicyName } from './policies.ts';
import type { Scenario, ScenarioAgent } from './scenario.ts';

const ALARM_THRESHOLD_PERCENT = 95;

/** One window of the simulated fleet. Agents without a running job have 0. */
export interface SimulatedWindow {
  /** Position in the result, from 0. */
  index: number;
  /** What each agent ran with. */
  allocatedTps: Record<string, number>;
  /** What each agent reported at the end of the window. */
  actualTps: Record<string, number>;
  /** Operations charged, of those that the budget allows in a window. */
  usedPercent: number;
  /** Sum of reported rates, of the global limit: the monitor's utilization, above 100 for bursts. */
  utilizationPercent: number;
  /** What CV-TPS-001 did at the end of the window; an alarm that ends by itself counts as cleared. */
  alarm: 'raised' | 'cleared' | null;
}

/** The whole course in a few numbers. */
export interface SimulationSummary {
  policy: PolicyName;
  /** As enforced: at least 100. */
  globalLimitTps: number;
  windowSeconds: number;
  windows: number;
  agents: number;
  chargedOps: number;
  meanUsedPercent: number;
  lowestUsedPercent: number;
  highestUsedPercent: number;
  /** Of the last window: what the fleet settles at. */
  finalUsedPercent: number;
  meanUtilizationPercent: number;
  highestUtilizationPercent: number;
  /** First window from which on no allocation moves by more than 1 % a window; null if it still does at the end. */
  settledAtIndex: number | null;
  alarmsRaised: number;
}

export interface SimulationResult {
  windows: SimulatedWindow[];
  summary: SimulationSummary;
}

/** Plays a scenario from `parseScenario`. Deterministic. */
export function simulate(scenario: Scenario): SimulationResult {
  const { agents, globalLimitTps, windowSeconds } = scenario;
  const limitTps = enforcedLimit(globalLimitTps);
  const firstShare = equalSplit(globalLimitTps, agents.length);
  const alarm = new AlarmClock(windowSeconds * 1_000);
  const windows: SimulatedWindow[] = [];
  let granted: ReadonlyMap<string, number> = new Map();
  let before: readonly number[] | null = null;
  let chargedOps = 0;
  let settledAtIndex = 0;
  for (let index = 0; index < scenario.windows; index += 1) {
    // Agents that begin to run in this window get an equal split over all agents, as if they accepted a job (D7).
    const allocated = agents.map((agent) =>
      runs(agent, index) ? (granted.get(agent.id) ?? agent.initialAllocatedTps ?? firstShare) : 0,
    );
    const { charged, actual } = playWindow(scenario, index, allocated);
    const utilization = utilizationPercent(exactSum(actual), limitTps);
    windows.push({
      index,
      allocatedTps: byId(agents, allocated),
      actualTps: byId(agents, actual),
      usedPercent: (charged / (limitTps * windowSeconds)) * 100,
      utilizationPercent: utilization,
      alarm: alarm.windowEnds(utilization),
    });
    chargedOps += charged;
    if (before !== null && moved(before, allocated)) settledAtIndex = index;
    before = allocated;
    granted = POLICIES[scenario.policy](globalLimitTps, stillRunning(agents, index, allocated, actual));
  }
  const settled = settledAtIndex > 0 && settledAtIndex === windows.length - 1 ? null : settledAtIndex;
  return { windows, summary: summarize(scenario, windows, chargedOps, settled) };
}

function runs(agent: ScenarioAgent, index: number): boolean {
  return index >= agent.runsFrom && (agent.runsUntil === null || index < agent.runsUntil);
}

/** Operations charged in a window, and what each agent reports; both by position. */
function playWindow(
  scenario: Scenario,
  index: number,
  allocated: readonly number[],
): { charged: number; actual: number[] } {
  const charges: number[] = [];
  const actual = scenario.agents.map((agent, position) => {
    if (!runs(agent, index)) return 0;
    const wanted = agent.demandTps * scenario.windowSeconds;
    const credits = Math.floor((allocated[position] ?? 0) * scenario.windowSeconds);
    charges.push(Math.min(wanted, credits));
    return wanted > credits ? agent.burstTps : agent.demandTps;
  });
  return { charged: exactSum(charges), actual };
}

/** The agents that heartbeat at the end of a window and still have a running job. */
function stillRunning(
  agents: readonly ScenarioAgent[],
  index: number,
  allocated: readonly number[],
  actual: readonly number[],
): RunningAgent[] {
  const running: RunningAgent[] = [];
  for (const [position, agent] of agents.entries()) {
    if (!runs(agent, index) || !runs(agent, index + 1)) continue;
    running.push({ id: agent.id, allocatedTps: allocated[position] ?? 0, actualTps: actual[position] ?? 0 });
  }
  return running;
}

function byId(agents: readonly ScenarioAgent[], values: readonly number[]): Record<string, number> {
  // No prototype: an agent may be called `__proto__`.
  const record: Record<string, number> = Object.create(null);
  for (const [position, { id }] of agents.entries()) record[id] = values[position] ?? 0;
  return record;
}

/** Whether any allocation changed by more than 1 % (or 0.01 TPS). */
function moved(before: readonly number[], after: readonly number[]): boolean {
  return after.some((tps, position) => {
    const last = before[position] ?? 0;
    return Math.abs(tps - last) > 0.01 * Math.max(1, last);
  });
}

/** CV-TPS-001 on the simulated time line: utilization is known from each window's end, the engine checks every 60 s. */
class AlarmClock {
  readonly #windowMs: number;
  #state: AlarmState = QUIET;
  #nowMs = 0;
  #utilization = 0;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  windowEnds(utilization: number): SimulatedWindow['alarm'] {
    const endsAtMs = this.#nowMs + this.#windowMs;
    const every = UTILIZATION_HIGH.checkEveryMs;
    let last: SimulatedWindow['alarm'] = null;
    for (let checkMs = (Math.floor(this.#nowMs / every) + 1) * every; checkMs < endsAtMs; checkMs += every) {
      last = this.#observe(checkMs, true) ?? last;
    }
    this.#utilization = utilization;
    this.#nowMs = endsAtMs;
    return this.#observe(endsAtMs, endsAtMs % every === 0) ?? last;
  }

  #observe(nowMs: number, checkClear: boolean): SimulatedWindow['alarm'] {
    const { state, events } = observeAlarm(UTILIZATION_HIGH, this.#state, {
      utilizationPercent: this.#utilization,
      thresholdPercent: ALARM_THRESHOLD_PERCENT,
      nowMs,
      checkClear,
    });
    this.#state = state;
    const ending = events.findLast((event) => event.type !== 'fired');
    if (ending === undefined) return null;
    return ending.type === 'raised' ? 'raised' : 'cleared';
  }
}

function summarize(
  scenario: Scenario,
  windows: readonly SimulatedWindow[],
  chargedOps: number,
  settledAtIndex: number | null,
): SimulationSummary {
  const used = windows.map((window) => window.usedPercent);
  const utilization = windows.map((window) => window.utilizationPercent);
  return {
    policy: scenario.policy,
    globalLimitTps: enforcedLimit(scenario.globalLimitTps),
    windowSeconds: scenario.windowSeconds,
    windows: windows.length,
    agents: scenario.agents.length,
    chargedOps,
    meanUsedPercent: exactSum(used) / used.length,
    lowestUsedPercent: used.reduce((a, b) => Math.min(a, b)),
    highestUsedPercent: used.reduce((a, b) => Math.max(a, b)),
    finalUsedPercent: used.at(-1) ?? 0,
    meanUtilizationPercent: exactSum(utilization) / utilization.length,
    highestUtilizationPercent: utilization.reduce((a, b) => Math.max(a, b)),
    settledAtIndex,
    alarmsRaised: windows.filter((window) => window.alarm === 'raised').length,
  };
}

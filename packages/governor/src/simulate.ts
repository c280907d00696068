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
  const windows: SimulatedWindow[] = [];
  const alarm = new AlarmClock(scenario.windowSeconds * 1_000);
  let chargedOps = 0;
  let runsWith = new Map<string, number>();
  for (let index = 0; index < scenario.windows; index += 1) {
    runsWith = withJoiners(scenario, index, runsWith);
    const played = playWindow(scenario, index, runsWith);
    const total = exactSum([...played.reports.values()].map((report) => report.actualTps ?? 0));
    const utilization = utilizationPercent(total, enforcedLimit(scenario.globalLimitTps));
    chargedOps += played.charged;
    windows.push({
      index,
      allocatedTps: perAgent(scenario, (id) => runsWith.get(id) ?? 0),
      actualTps: perAgent(scenario, (id) => played.reports.get(id)?.actualTps ?? 0),
      usedPercent: (played.charged / (enforcedLimit(scenario.globalLimitTps) * scenario.windowSeconds)) * 100,
      utilizationPercent: utilization,
      alarm: alarm.windowEnds(utilization),
    });
    const remaining = scenario.agents
      .filter((agent) => runs(agent, index + 1))
      .flatMap(({ id }) => {
        const report = played.reports.get(id);
        return report === undefined ? [] : [report];
      });
    runsWith = POLICIES[scenario.policy](scenario.globalLimitTps, remaining);
  }
  return { windows, summary: summarize(scenario, windows, chargedOps) };
}

function runs(agent: ScenarioAgent, index: number): boolean {
  return index >= agent.runsFrom && (agent.runsUntil === null || index < agent.runsUntil);
}

/** Allocations of the window, with agents that begin to run in it: they get an equal split over all agents. */
function withJoiners(scenario: Scenario, index: number, granted: ReadonlyMap<string, number>): Map<string, number> {
  const share = equalSplit(scenario.globalLimitTps, scenario.agents.length);
  return new Map(
    scenario.agents
      .filter((agent) => runs(agent, index))
      .map(({ id, initialAllocatedTps }) => [id, granted.get(id) ?? initialAllocatedTps ?? share]),
  );
}

function playWindow(
  scenario: Scenario,
  index: number,
  runsWith: ReadonlyMap<string, number>,
): { charged: number; reports: Map<string, RunningAgent> } {
  const reports = new Map<string, RunningAgent>();
  const charges: number[] = [];
  for (const agent of scenario.agents) {
    if (!runs(agent, index)) continue;
    const allocatedTps = runsWith.get(agent.id) ?? 0;
    const wanted = agent.demandTps * scenario.windowSeconds;
    const credits = Math.floor(allocatedTps * scenario.windowSeconds);
    charges.push(Math.min(wanted, credits));
    reports.set(agent.id, {
      id: agent.id,
      allocatedTps,
      actualTps: wanted > credits ? agent.burstTps : agent.demandTps,
    });
  }
  return { charged: exactSum(charges), reports };
}

function perAgent(scenario: Scenario, value: (id: string) => number): Record<string, number> {
  return Object.fromEntries(scenario.agents.map(({ id }) => [id, value(id)]));
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

function summarize(scenario: Scenario, windows: readonly SimulatedWindow[], chargedOps: number): SimulationSummary {
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
    settledAtIndex: settledAt(windows),
    alarmsRaised: windows.filter((window) => window.alarm === 'raised').length,
  };
}

function settledAt(windows: readonly SimulatedWindow[]): number | null {
  let settled = 0;
  for (const [index, { allocatedTps }] of windows.entries()) {
    const before = windows[index - 1]?.allocatedTps;
    if (before === undefined) continue;
    const moved = Object.entries(allocatedTps).some(
      ([id, tps]) => Math.abs(tps - (before[id] ?? 0)) > 0.01 * Math.max(1, before[id] ?? 0),
    );
    if (moved) settled = index;
  }
  return settled > 0 && settled === windows.length - 1 ? null : settled;
}

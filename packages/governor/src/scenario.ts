import type { PolicyName } from './policies.ts';
import { MAX_TPS, MAX_WINDOWS, ScenarioReader, type ScenarioProblem } from './scenario-reader.ts';
import {
  demandStepsOf,
  FLEET_FIELD,
  fleetOf,
  windowsOf,
  type DemandStep,
  type ScenarioFleet,
} from './scenario-fleet.ts';

/** One agent of a scenario. Window numbers are positions in the result, from 0. */
export interface ScenarioAgent {
  id: string;
  /** What it would charge per second if it had the credits. */
  demandTps: number;
  /** What it reports when credits limited it (D1: the rate until they were spent). Default: `demandTps`. */
  burstTps: number;
  /** What it runs with in its first window; null: an equal split over all agents of the scenario. */
  initialAllocatedTps: number | null;
  /** First window in which it has a running job. */
  runsFrom: number;
  /** First window in which it has none any more; null: runs to the end. */
  runsUntil: number | null;
  /** Other demands from some windows on, in order; played by fleets in real time only. */
  demandSteps?: readonly DemandStep[];
  /** Windows in which its process is restarted; played by fleets in real time only. */
  restarts?: readonly number[];
}

/** A fleet to simulate, checked, with `count` resolved. */
export interface Scenario {
  globalLimitTps: number;
  windowSeconds: number;
  windows: number;
  policy: PolicyName;
  agents: ScenarioAgent[];
  /** How the fleet behaves between the ends of windows; absent: all heartbeats come together, nothing is late or lost. */
  fleet?: ScenarioFleet;
}

const MAX_WINDOW_SECONDS = 3_600;
const MAX_AGENTS = 100_000;
/** Agents × windows: the result holds two numbers by name for each, about 300 bytes. */
const MAX_CELLS = 2_000_000;
const MAX_PROBLEMS = 100;

const SCENARIO_FIELDS = ['globalLimitTps', 'windowSeconds', 'windows', 'policy', 'agents', FLEET_FIELD];
const AGENT_FIELDS = [
  'id',
  'count',
  'demandTps',
  'burstTps',
  'initialAllocatedTps',
  'runsFrom',
  'runsUntil',
  'demandSteps',
  'restarts',
];

/**
 * Reads a scenario file (the JSON of it, parsed).
 *
 * @returns the scenario, or every problem found (at most 100). Unknown fields are problems: a misspelt one would
 *   otherwise simulate something else than was meant.
 */
export function parseScenario(
  json: unknown,
): { ok: true; scenario: Scenario } | { ok: false; problems: ScenarioProblem[] } {
  const reader = new ScenarioReader();
  const scenario = readScenario(reader, json);
  if (scenario === null || reader.problems.length > 0) {
    return { ok: false, problems: reader.problems.slice(0, MAX_PROBLEMS) };
  }
  return { ok: true, scenario };
}

function readScenario(reader: ScenarioReader, json: unknown): Scenario | null {
  const fields = reader.object('', json, SCENARIO_FIELDS);
  if (fields === null) return null;
  const windows = reader.number('windows', fields['windows'], { min: 1, max: MAX_WINDOWS, whole: true }) ?? 1;
  const scenario: Scenario = {
    globalLimitTps:
      reader.number('globalLimitTps', fields['globalLimitTps'], { min: 0, max: MAX_TPS, whole: true }) ?? 0,
    windowSeconds:
      reader.number('windowSeconds', fields['windowSeconds'], { min: 0.001, max: MAX_WINDOW_SECONDS, orElse: 30 }) ??
      30,
    windows,
    policy: readPolicy(reader, fields['policy']),
    agents: readAgents(reader, fields['agents']),
  };
  const fleet = fleetOf(reader, fields[FLEET_FIELD]);
  if (fleet !== null) scenario.fleet = fleet;
  for (const [index, { demandSteps = [], restarts = [] }] of scenario.agents.entries()) {
    if (fields[FLEET_FIELD] !== undefined || (demandSteps.length === 0 && restarts.length === 0)) continue;
    const problem = `are played by fleets in real time only: add "${FLEET_FIELD}": {}`;
    reader.refuse(`agents[${index}].${demandSteps.length > 0 ? 'demandSteps' : 'restarts'}`, '…', problem);
    break;
  }
  if (scenario.agents.length * windows > MAX_CELLS) {
    reader.refuse('windows', windows, `agents × windows must be at most ${MAX_CELLS}; use fewer of either`);
  }
  return scenario;
}

function readPolicy(reader: ScenarioReader, value: unknown): PolicyName {
  if (value === undefined || value === 'reclaim') return 'reclaim';
  if (value === 'max-min') return 'max-min';
  reader.refuse('policy', value, 'must be "reclaim" or "max-min"');
  return 'reclaim';
}

function readAgents(reader: ScenarioReader, value: unknown): ScenarioAgent[] {
  if (!Array.isArray(value) || value.length === 0) {
    reader.refuse(
      'agents',
      value,
      'must be a list of at least one agent, such as [{ "id": "agent-1", "demandTps": 500 }]',
    );
    return [];
  }
  const agents: ScenarioAgent[] = [];
  const taken = new Set<string>();
  for (const [index, entry] of value.entries()) {
    const field = `agents[${index}]`;
    const fields = reader.object(field, entry, AGENT_FIELDS);
    if (fields === null) continue;
    const { agent, count } = readAgent(reader, field, fields);
    if (agents.length + (count ?? 1) > MAX_AGENTS) {
      reader.refuse(`${field}.count`, fields['count'], `a scenario has at most ${MAX_AGENTS} agents`);
      return agents;
    }
    for (const id of count === null ? [agent.id] : numbered(agent.id, count)) {
      if (taken.has(id))
        reader.refuse(`${field}.id`, fields['id'], `there is another agent called ${JSON.stringify(id)}`);
      taken.add(id);
      agents.push({ ...agent, id });
    }
  }
  return agents;
}

function readAgent(
  reader: ScenarioReader,
  field: string,
  fields: Record<string, unknown>,
): { agent: ScenarioAgent; count: number | null } {
  const tps = { min: 0, max: MAX_TPS };
  const window = { min: 0, max: MAX_WINDOWS, whole: true };
  const demandTps = reader.number(`${field}.demandTps`, fields['demandTps'], tps) ?? 0;
  const runsFrom = reader.number(`${field}.runsFrom`, fields['runsFrom'], { ...window, orElse: 0 }) ?? 0;
  const runsUntil = reader.number(`${field}.runsUntil`, fields['runsUntil'], { ...window, orElse: null });
  if (runsUntil !== null && runsUntil <= runsFrom) {
    reader.refuse(
      `${field}.runsUntil`,
      runsUntil,
      `must be above runsFrom (${runsFrom}): it is the first window without the agent`,
    );
  }
  const id = fields['id'];
  if (typeof id !== 'string' || id.length === 0 || id.length > 64) {
    reader.refuse(`${field}.id`, id, 'must be a name of 1 to 64 characters');
  }
  return {
    count: reader.number(`${field}.count`, fields['count'], { min: 1, max: MAX_AGENTS, whole: true, orElse: null }),
    agent: {
      id: typeof id === 'string' ? id : field,
      demandTps,
      burstTps: reader.number(`${field}.burstTps`, fields['burstTps'], { ...tps, orElse: demandTps }) ?? demandTps,
      initialAllocatedTps: reader.number(`${field}.initialAllocatedTps`, fields['initialAllocatedTps'], {
        ...tps,
        orElse: null,
      }),
      runsFrom,
      runsUntil,
      ...(fields['demandSteps'] !== undefined && {
        demandSteps: demandStepsOf(reader, `${field}.demandSteps`, fields['demandSteps']),
      }),
      ...(fields['restarts'] !== undefined && { restarts: windowsOf(reader, `${field}.restarts`, fields['restarts']) }),
    },
  };
}

function numbered(id: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${id}-${index + 1}`);
}

import { MAX_TPS, MAX_WINDOWS, type ScenarioReader } from './scenario-reader.ts';

/** The field of a scenario that makes its fleet run in real time. */
export const FLEET_FIELD = 'fleet';

/** A demand from the start of a window on. */
export interface DemandStep {
  from: number;
  demandTps: number;
}

/** How a fleet behaves in real time. Windows are numbered from 0. */
export interface ScenarioFleet {
  /** `staggered`: evenly over the window · `together`: all at its end. */
  heartbeats: 'staggered' | 'together';
  /** Each heartbeat comes up to this much earlier or later. */
  jitterSeconds: number;
  /** Heartbeats of which the request or the answer is lost; they are repeated after 1 to 10 s. */
  lossPercent: number;
  /** For jitter, losses and repetitions; the same seed gives the same course. */
  seed: number;
  overshootGuard: boolean;
  /** Credits are released evenly with bursts of this length; null: all at once. */
  burstSeconds: number | null;
  /** Windows at whose start the console is restarted and forgets everything. */
  consoleRestarts: readonly number[];
  /** The console's clock is set forward or back at the start of a window. */
  clockJumps: readonly { window: number; seconds: number }[];
  /** Other limits from some windows on, in order. */
  limits: readonly { from: number; globalLimitTps: number }[];
}

const FIELDS = [
  'heartbeats',
  'jitterSeconds',
  'lossPercent',
  'seed',
  'overshootGuard',
  'burstSeconds',
  'consoleRestarts',
  'clockJumps',
  'limits',
];
const MAX_ENTRIES = 1_000;
const WINDOW = { min: 0, max: MAX_WINDOWS, whole: true };

/** Reads the optional field `fleet`. */
export function fleetOf(reader: ScenarioReader, value: unknown): ScenarioFleet | null {
  if (value === undefined) return null;
  const fields = reader.object(FLEET_FIELD, value, FIELDS);
  if (fields === null) return null;
  const at = (name: string): string => `${FLEET_FIELD}.${name}`;
  const number = (name: string, min: number, max: number, orElse: number, whole = false): number =>
    reader.number(at(name), fields[name], { min, max, whole, orElse }) ?? orElse;
  const { heartbeats = 'staggered', overshootGuard = false } = fields;
  if (heartbeats !== 'staggered' && heartbeats !== 'together') {
    reader.refuse(at('heartbeats'), heartbeats, 'must be "staggered" or "together"');
  }
  if (typeof overshootGuard !== 'boolean') reader.refuse(at('overshootGuard'), overshootGuard, 'must be true or false');
  return {
    heartbeats: heartbeats === 'together' ? 'together' : 'staggered',
    jitterSeconds: number('jitterSeconds', 0, 60, 0),
    lossPercent: number('lossPercent', 0, 90, 0),
    seed: number('seed', 1, 2 ** 31 - 1, 1, true),
    overshootGuard: overshootGuard === true,
    burstSeconds: reader.number(at('burstSeconds'), fields['burstSeconds'], { min: 0.02, max: 10, orElse: null }),
    consoleRestarts: windowsOf(reader, at('consoleRestarts'), fields['consoleRestarts']),
    clockJumps: entries(reader, at('clockJumps'), fields['clockJumps'], 'window', {
      name: 'seconds',
      rule: { min: -1e9, max: 1e9 },
    }).map(([window, seconds]) => ({ window, seconds })),
    limits: entries(reader, at('limits'), fields['limits'], 'from', {
      name: 'globalLimitTps',
      rule: { min: 0, max: MAX_TPS, whole: true },
    }).map(([from, globalLimitTps]) => ({ from, globalLimitTps })),
  };
}

/** Reads an agent's optional field `demandSteps`. */
export function demandStepsOf(reader: ScenarioReader, field: string, value: unknown): DemandStep[] {
  const steps = entries(reader, field, value, 'from', { name: 'demandTps', rule: { min: 0, max: MAX_TPS } });
  return steps.map(([from, demandTps]) => ({ from, demandTps }));
}

/** Reads a list of window numbers. */
export function windowsOf(reader: ScenarioReader, field: string, value: unknown): number[] {
  return reader
    .list(field, value, MAX_ENTRIES)
    .flatMap((entry, index) => reader.number(`${field}[${index}]`, entry, WINDOW) ?? []);
}

function entries(
  reader: ScenarioReader,
  field: string,
  value: unknown,
  when: string,
  what: { name: string; rule: { min: number; max: number; whole?: boolean } },
): [number, number][] {
  const read = reader.list(field, value, MAX_ENTRIES).flatMap((entry, index): [number, number][] => {
    const at = `${field}[${index}]`;
    const fields = reader.object(at, entry, [when, what.name]);
    if (fields === null) return [];
    const window = reader.number(`${at}.${when}`, fields[when], WINDOW);
    const number = reader.number(`${at}.${what.name}`, fields[what.name], what.rule);
    return window === null || number === null ? [] : [[window, number]];
  });
  return read.toSorted((a, b) => a[0] - b[0]);
}

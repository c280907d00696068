import { figure } from '../report/table.ts';
import { Agents } from './agents.ts';
import { ConsoleProcess, type Place } from './console-process.ts';

/** Keep-alive connections that the heartbeats come over. */
export const CONNECTIONS = 64;
export const WINDOW_SECONDS = 30;

/** Three monitors are open, each asking once a window, and a Prometheus scrapes every 15 s. */
const WATCHED = [
  { path: '/api/v1/monitor', everyMs: 10_000 },
  { path: '/metrics', everyMs: 15_000 },
];

/** What a console does with the heartbeats of a fleet. */
export interface Measured {
  readonly agents: number;
  readonly policy: string;
  readonly fastest: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly cpuPercent: number;
  /** CPU time of the console for each heartbeat, everything else that it did meanwhile included. */
  readonly cpuUs: number;
  readonly rssMiB: number;
}

/** What is not as by default. */
export interface FleetChoices {
  /** Where the console keeps what it knows; default: SQLite. */
  readonly place?: Place;
  /** Each grant is drawn from a counter of its window; default: no. */
  readonly overshootGuard?: boolean;
  /** Where the console leaves a CPU profile of its life; default: none is made. */
  readonly profileFolder?: string;
}

/**
 * Starts a console that knows a fleet, lets every agent send two heartbeats as fast as they are answered, and then keeps the pace.
 * @param seconds how long the pace is kept.
 */
export async function measureFleet(
  agents: number,
  policy: string,
  seconds: number,
  step: (text: string) => void,
  { place, overshootGuard = false, profileFolder }: FleetChoices = {},
): Promise<Measured> {
  const server = await ConsoleProcess.start(agents, place, profileFolder);
  try {
    const { settings } = await server.call('GET', '/api/v1/settings/governor');
    const body = { ...Object(settings), globalLimitTps: agents * 50, allocationPolicy: policy, overshootGuard };
    await server.call('PUT', '/api/v1/settings/governor', body);
    const fleet = await Agents.connect(agents, server.url, CONNECTIONS);
    step(`${policy}: ${figure(agents)} agents, as fast as possible`);
    await fleet.asFastAsPossible();
    const fastest = await fleet.asFastAsPossible();
    step(`${policy}: ${figure(agents)} agents, at their pace`);
    const before = server.usage();
    const startedMs = performance.now();
    const endWatch = watch(server);
    const took = await fleet.atPace(WINDOW_SECONDS, seconds);
    await endWatch();
    const after = server.usage();
    const wallSeconds = (performance.now() - startedMs) / 1_000;
    fleet.close();
    const at = (share: number): number => took[Math.floor(took.length * share)] ?? Number.NaN;
    const cpuSeconds = after.cpuSeconds - before.cpuSeconds;
    const cpu = { cpuPercent: (cpuSeconds / wallSeconds) * 100, cpuUs: (cpuSeconds * 1e6) / took.length };
    const timing = { p50Ms: at(0.5), p99Ms: at(0.99), p999Ms: at(0.999) };
    return { agents, policy, fastest, ...timing, ...cpu, rssMiB: after.rssMiB };
  } finally {
    await server.stop();
  }
}

/** @returns ends it, and throws if the console failed to answer */
function watch(server: ConsoleProcess): () => Promise<void> {
  let failed: unknown;
  const timers = WATCHED.map(({ path, everyMs }) => {
    const ask = (): void => void server.read(path).catch((error: unknown) => (failed = error));
    ask();
    return setInterval(ask, everyMs);
  });
  return async () => {
    for (const timer of timers) clearInterval(timer);
    if (failed !== undefined) throw failed;
  };
}

import { heartbeats } from '../governor/heartbeats.ts';
import type { Suite } from '../report/section.ts';
import { bars } from '../report/bars.ts';
import { figure, table } from '../report/table.ts';
import { CONNECTIONS, measureFleet, WINDOW_SECONDS, type Measured } from './fleet.ts';

const FLEETS = [1_000, 10_000, 100_000];
const SPLITS = [1_000, 10_000, 100_000, 1_000_000];
const POLICIES = ['reclaim', 'max-min'] as const;
const WANTED_P99_MS = 25;
const WANTED_MIB = 1_024;

const notes = `A whole console (\`weir console\`: HTTP, authentication, validation, coordinator, history in SQLite) in a process of its own, and a generator
in this one, on the same two cores, over ${CONNECTIONS} keep-alive connections. Every agent runs a job, reports a window, and changes what it
uses with each, in an order of their own, while three monitors are open and a Prometheus scrapes. "Held" is the pace of the fleet: agents ÷ ${WINDOW_SECONDS} s; a heartbeat's time is from when it was due until its answer was read.`;

export const consoleSuite: Suite = async (pace, progress) => {
  progress.stage('console');
  const quick = pace.rounds < 5;
  const measured: Measured[] = [];
  for (const agents of quick ? FLEETS.slice(0, 2) : FLEETS) {
    for (const policy of POLICIES) measured.push(await measureFleet(agents, policy, quick ? 5 : 45, progress.step));
  }
  const splits = SPLITS.slice(0, quick ? 3 : 4).flatMap((agents) =>
    POLICIES.map((policy) => {
      progress.step(`${policy}: the split alone, ${figure(agents)} agents`);
      return { policy, ...heartbeats(agents, 30_000, policy) };
    }),
  );
  const largest = measured.filter(({ agents }) => agents === measured.at(-1)?.agents);
  const p99Ms = Math.max(...largest.map((each) => each.p99Ms));
  const rssMiB = Math.max(...largest.map((each) => each.rssMiB));
  const held = largest[0]?.agents ?? 0;
  return {
    title: 'Console',
    text: [notes, consoleTable(measured), splitTable(splits)].join('\n\n'),
    targets: [
      {
        text: `A heartbeat at a console with ${figure(held)} agents, p99`,
        wanted: `< ${WANTED_P99_MS} ms`,
        measured: `${figure(p99Ms)} ms`,
        met: p99Ms < WANTED_P99_MS,
      },
      {
        text: `Memory of that console`,
        wanted: `< ${figure(WANTED_MIB)} MiB`,
        measured: `${figure(rssMiB)} MiB`,
        met: rssMiB < WANTED_MIB,
      },
    ],
  };
};

function consoleTable(measured: readonly Measured[]): string {
  const head = [
    'agents, policy',
    'held/s',
    'p50 ms',
    'p99 ms',
    'p99.9 ms',
    'CPU % of a core',
    'CPU µs each',
    'RSS MiB',
    'at most/s',
  ];
  const rows = measured.map((each) => [
    `${figure(each.agents)}, ${each.policy}`,
    figure(each.agents / WINDOW_SECONDS),
    ...[each.p50Ms, each.p99Ms, each.p999Ms, each.cpuPercent, each.cpuUs, each.rssMiB, each.fastest].map(figure),
  ]);
  const growth = measured.map((each) => ({ label: `${figure(each.agents)}, ${each.policy}`, value: each.cpuUs }));
  return `### Heartbeats at a console

${table(head, rows)}

CPU of the console for a heartbeat, by the size of the fleet. What it does once a second or once a window is in it, so a small fleet,
whose heartbeats are few, pays more for each.

${bars(growth, 'µs')}`;
}

function splitTable(splits: readonly (ReturnType<typeof heartbeats> & { policy: string })[]): string {
  const rows = splits.map((each) => [
    `${figure(each.agents)}, ${each.policy}`,
    ...[each.meanUs, each.p50Us, each.p99Us, each.bytesPerAgent].map(figure),
  ]);
  return `### The coordinator alone

One heartbeat: report, recompute, next grant. The growth from a thousand to a million agents is that of a logarithm, and of caches that are too small.

${table(['agents, policy', 'mean µs', 'p50 µs', 'p99 µs', 'heap bytes per agent'], rows)}

${bars(
  splits.map((each) => ({ label: `${figure(each.agents)}, ${each.policy}`, value: each.meanUs })),
  'µs',
)}`;
}

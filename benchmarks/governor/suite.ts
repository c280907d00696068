import { inRounds } from '../load/rounds.ts';
import { median } from '../load/statistics.ts';
import type { Suite } from '../report/section.ts';
import { figure, table } from '../report/table.ts';
import { chargeNs } from './charges.ts';
import { heartbeats, type Heartbeats } from './heartbeats.ts';
import { park, type Parking } from './parking.ts';

const PARKED = 100_000;
const REST_MS = 1_000;
const FLEETS = [1_000, 10_000, 100_000];
const MEASURED_HEARTBEATS = 50_000;
const CLOCKS = ['performance.now', 'a constant'] as const;
const WANTED_CHARGE_NS = 50;
const WANTED_HEARTBEAT_P99_MS = 25;

const notes = `The credit window of an agent and the coordinator of a console, in this process. No peers yet: bottleneck, limiter and p-queue are not
installed.`;

export const governorSuite: Suite = async (pace, progress) => {
  progress.stage('governor');
  const charges = await inRounds(
    pace.rounds,
    [CLOCKS.map((clock) => ({ label: clock, measure: () => chargeNs(pace.sliceMs, clock) }))],
    progress.step,
  );
  const parking: Parking[] = [];
  for (let round = 0; round < Math.min(3, pace.rounds); round += 1) {
    progress.step(`${figure(PARKED)} parked operations, round ${round + 1}`);
    parking.push(await park(PARKED, REST_MS));
  }
  const fleets = await inRounds(
    Math.min(3, pace.rounds),
    [FLEETS.map((agents) => ({ label: String(agents), measure: async () => heartbeats(agents, MEASURED_HEARTBEATS) }))],
    progress.step,
  );
  const chargeOf = (clock: string): number => median(charges.get(clock) ?? []);
  const largest = fleets.get(String(FLEETS.at(-1))) ?? [];
  const p99Ms = median(largest.map((each) => each.p99Us)) / 1_000;
  return {
    title: 'Governor',
    text: [
      notes,
      `### A charge with credits left\n\n${table(
        ['clock of the window', 'ns'],
        CLOCKS.map((clock) => [clock, figure(chargeOf(clock))]),
      )}`,
      parkingTable(parking),
      heartbeatTable(fleets),
    ].join('\n\n'),
    targets: [
      {
        text: 'A charge with credits left',
        wanted: `≤ ${WANTED_CHARGE_NS} ns`,
        measured: `${figure(chargeOf('performance.now'))} ns`,
        met: chargeOf('performance.now') <= WANTED_CHARGE_NS,
      },
      {
        text: `The coordinator's part of a heartbeat, ${figure(FLEETS.at(-1) ?? 0)} agents, p99`,
        wanted: `< ${WANTED_HEARTBEAT_P99_MS} ms (of the whole console)`,
        measured: `${figure(p99Ms)} ms`,
        met: p99Ms < WANTED_HEARTBEAT_P99_MS,
      },
    ],
  };
};

function parkingTable(parking: readonly Parking[]): string {
  const of = (read: (parking: Parking) => number): string => figure(median(parking.map(read)));
  const rows = [
    ['parking all of them, ms', of((each) => each.parkMs)],
    ['heap for each, with its promise, bytes', of((each) => each.bytesEach)],
    [`CPU while all wait for ${figure(REST_MS)} ms, % of a core`, of((each) => each.cpuWhileParked * 100)],
    ['one grant wakes all of them: until the last goes on, ms', of((each) => each.wakeMs)],
    ['overtook an older one', of((each) => each.overtakings)],
  ];
  return `### ${figure(PARKED)} parked operations\n\n${table(['', 'median'], rows)}`;
}

function heartbeatTable(fleets: ReadonlyMap<string, readonly Heartbeats[]>): string {
  const rows = Array.from(fleets.values(), (rounds) => {
    const of = (read: (each: Heartbeats) => number): string => figure(median(rounds.map(read)));
    return [
      of((each) => each.agents),
      of((each) => each.meanUs),
      of((each) => each.p50Us),
      of((each) => each.p99Us),
      of((each) => each.bytesPerAgent),
    ];
  });
  return `### Heartbeats at the coordinator

All agents run and report, evenly over the window, and change what they use with each window.

${table(['agents', 'mean µs', 'p50 µs', 'p99 µs', 'heap bytes per agent'], rows)}`;
}

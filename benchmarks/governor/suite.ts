import { costOf, type CallCost } from '../load/batches.ts';
import { inRounds } from '../load/rounds.ts';
import { median } from '../load/statistics.ts';
import type { Suite } from '../report/section.ts';
import { figure, table, times } from '../report/table.ts';
import { gates, gateUnderTest, parkingGates } from './gates.ts';
import { heartbeats, type Heartbeats } from './heartbeats.ts';
import { park, type Parking } from './parking.ts';

const REST_MS = 1_000;
const FLEETS = [1_000, 10_000, 100_000];
const MEASURED_HEARTBEATS = 50_000;
const WANTED_CHARGE_NS = 50;
const WANTED_HEARTBEAT_P99_MS = 25;

const notes = `The credit window of an agent beside what else Node programs put in front of a server, and the coordinator of a console; all in this
process. Peers start an operation for the caller; Weir lets the caller start it, and says by "undefined" that it need not wait.`;

const peerNotes = `A thousand operations are asked for together, and the time is until the last one has begun, for each. bottleneck begins them one after
the other, each some timers of a millisecond after the one before, with or without a reservoir: its time is mostly waiting, its CPU
is what it works. CPU is that of the whole process, its garbage collector in other threads included.`;

/** What a clock costs that is read with every charge. */
const CONSTANT_CLOCK = `${gateUnderTest.name}, constant clock`;

export const governorSuite: Suite = async (pace, progress) => {
  progress.stage('governor');
  // First, on a heap that no peer has left anything on.
  const fleets = await inRounds(
    Math.min(3, pace.rounds),
    [FLEETS.map((agents) => ({ label: String(agents), measure: async () => heartbeats(agents, MEASURED_HEARTBEATS) }))],
    progress.step,
  );
  const cells = gates.map(({ name, openBatch }) => ({
    label: name,
    measure: () =>
      costOf(
        pace.sliceMs,
        openBatch(() => performance.now()),
      ),
  }));
  const constant = () =>
    costOf(
      pace.sliceMs,
      gateUnderTest.openBatch(() => 0),
    );
  cells.splice(1, 0, { label: CONSTANT_CLOCK, measure: constant });
  const charges = await inRounds(pace.rounds, [cells], progress.step);
  const parking = await inRounds(
    Math.min(3, pace.rounds),
    parkingGates.map((gate) => [{ label: gate.name, measure: () => park(gate, REST_MS) }]),
    progress.step,
  );
  const costsOf = (name: string): readonly CallCost[] => charges.get(name) ?? [];
  const chargeOf = (name: string): number => median(costsOf(name).map(({ ns }) => ns));
  const cpuOf = (name: string): number => median(costsOf(name).map(({ cpuNs }) => cpuNs));
  const ownNs = chargeOf(gateUnderTest.name);
  const largest = fleets.get(String(FLEETS.at(-1))) ?? [];
  const p99Ms = median(largest.map((each) => each.p99Us)) / 1_000;
  return {
    title: 'Governor',
    text: [
      notes,
      `### A charge with credits left\n\n${table(
        ['', 'ns', `to ${gateUnderTest.name}`, 'CPU ns', `to ${gateUnderTest.name}`],
        Array.from(charges.keys(), (name) => [
          name,
          figure(chargeOf(name)),
          times(chargeOf(name) / ownNs),
          figure(cpuOf(name)),
          times(cpuOf(name) / cpuOf(gateUnderTest.name)),
        ]),
      )}\n\n${peerNotes}`,
      parkingTable(parking),
      heartbeatTable(fleets),
    ].join('\n\n'),
    targets: [
      {
        text: 'A charge with credits left',
        wanted: `≤ ${WANTED_CHARGE_NS} ns`,
        measured: `${figure(ownNs)} ns (${figure(chargeOf(CONSTANT_CLOCK))} ns without reading the clock)`,
        met: ownNs <= WANTED_CHARGE_NS,
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

function parkingTable(parking: ReadonlyMap<string, readonly Parking[]>): string {
  const rows = parkingGates.map(({ name, parked }) => {
    const of = (read: (each: Parking) => number): string => figure(median((parking.get(name) ?? []).map(read)));
    return [
      name,
      parked.toLocaleString('en'),
      of((each) => (each.parkMs * 1_000) / parked),
      of((each) => each.bytesEach),
      of((each) => each.cpuWhileParked * 100),
      of((each) => each.wakeMs),
      of((each) => (each.wakeMs * 1_000) / parked),
      of((each) => each.overtakings),
    ];
  });
  const head = [
    '',
    'parked',
    'µs to park',
    'heap bytes',
    'CPU while parked, %',
    'wake all, ms',
    'µs to wake',
    'overtook',
  ];
  return `### Operations that wait for credits

All wait, are left alone for ${figure(REST_MS)} ms, and are woken by one grant (limiter: by the end of its interval). Heap is for each, with
its promise; waking is until the last one goes on. bottleneck gets fewer, because it wakes them one by one.

${table(head, rows)}`;
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

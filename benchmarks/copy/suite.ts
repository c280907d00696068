import { freemem } from 'node:os';
import { missingRgwPackages, startRgw } from '@weir/testkit/s3';
import { inRounds } from '../load/rounds.ts';
import { median, medianRatio } from '../load/statistics.ts';
import type { Pace, Section, Steps, Suite, Target } from '../report/section.ts';
import { figure, table, times } from '../report/table.ts';
import { copyContestants, copyPeers, copyUnderTest } from './contestants.ts';
import { CopyStore, type Dataset } from './store.ts';
import type { Usage } from './timed-process.ts';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

const LARGE_OBJECTS = 4;
/** The gateway's store takes two bytes of memory for one of an object, and holds source and target. */
const MEMORY_PER_BYTE = 4;
const SPARE_BYTES = 8 * GIB;

function fits(bytes: number): boolean {
  return LARGE_OBJECTS * bytes * MEMORY_PER_BYTE + SPARE_BYTES <= freemem();
}

/** 1 GiB, or less where the memory for that is not free: a server that is killed for its memory measures nothing. */
function largeBytes(): number {
  return [GIB, GIB / 2, GIB / 4].find(fits) ?? GIB / 8;
}

function datasets(full: boolean): Dataset[] {
  return [
    { name: 'small objects', objects: full ? 10_000 : 500, bytes: 4_096, concurrency: 64 },
    { name: 'large objects', objects: full ? LARGE_OBJECTS : 2, bytes: full ? largeBytes() : GIB / 4, concurrency: 4 },
  ];
}

const notes = `Whole programs, each from its start to its end, between two accounts of one Ceph object gateway whose store is in memory, on the
same machine: server and client share its cores. Each round copies to a new bucket, in another order. All but "defaults" do the same
number of objects at once, with parts of 8 MiB from 128 MiB on. CPU is user and system time of the client. "naive" is a loop over minio's
getObject and putObject; it verifies nothing.`;

export const copySuite: Suite = async (pace, progress) => {
  progress.stage('copy');
  const missing = missingRgwPackages();
  if (missing.length > 0) throw new Error(`install first: ${missing.join(' ')}`);
  const full = pace.rounds > 2;
  const server = await startRgw({ memoryBytes: 12 * GIB });
  try {
    const store = await CopyStore.open(server);
    const text = [notes];
    const targets: Target[] = [];
    for (const dataset of datasets(full)) {
      const usages = await measure(store, dataset, pace, progress);
      text.push(tableOf(dataset, usages));
      targets.push(...targetsOf(dataset, usages));
    }
    return { title: 'Copy', text: text.join('\n\n'), targets } satisfies Section;
  } finally {
    await server.stop();
  }
};

type Usages = ReadonlyMap<string, readonly Usage[]>;

async function measure(store: CopyStore, dataset: Dataset, pace: Pace, progress: Steps): Promise<Usages> {
  progress.step(`making ${dataset.objects} ${dataset.name}`);
  const source = await store.seed(dataset);
  // With its defaults rclone copies four small objects at once, and takes minutes for them.
  const cells = copyContestants
    .filter(({ name }) => name !== 'rclone, defaults' || dataset.bytes > MIB)
    .map(({ name, copy }) => ({
      label: name,
      measure: async () => {
        const route = await store.route(source, dataset.concurrency);
        const usage = await copy(route);
        await store.check(route, dataset);
        await store.remove(route.target.bucket);
        return usage;
      },
    }));
  const usages = await inRounds(Math.min(3, pace.rounds), [cells], progress.step);
  await store.remove(source);
  return usages;
}

function tableOf({ objects, bytes }: Dataset, usages: Usages): string {
  const title = `### ${objects.toLocaleString('en')} objects of ${bytes < MIB ? `${bytes / 1024} KiB` : `${bytes / MIB} MiB`}`;
  const rows = Array.from(usages, ([name, each]) => {
    const seconds = median(each.map((usage) => usage.seconds));
    const cpuSeconds = median(each.map((usage) => usage.cpuSeconds));
    return [
      name,
      figure(seconds),
      figure(objects / seconds),
      figure((objects * bytes) / 1e6 / seconds),
      figure((cpuSeconds * 1e6) / objects),
      figure(cpuSeconds / ((objects * bytes) / GIB)),
    ];
  });
  const head = ['', 's', 'objects/s', 'MB/s', 'CPU µs/object', 'CPU s/GiB'];
  return `${title}\n\n${table(head, rows)}`;
}

/** Against whichever settings of rclone are better at it. */
function targetsOf(dataset: Dataset, usages: Usages): Target[] {
  const of = (name: string, read: (usage: Usage) => number): number[] => (usages.get(name) ?? []).map(read);
  const ratios = (read: (usage: Usage) => number): number[] =>
    copyPeers
      .filter(({ name }) => usages.has(name))
      .map(({ name }) => medianRatio(of(copyUnderTest.name, read), of(name, read)));
  const speed = Math.min(...ratios((usage) => 1 / usage.seconds));
  const cpu = Math.max(...ratios((usage) => usage.cpuSeconds));
  return [
    {
      text: `Copy of ${dataset.name}, against the faster rclone`,
      wanted: '≥ 1×',
      measured: times(speed),
      met: speed >= 1,
    },
    {
      text: `CPU of the client for ${dataset.name}, against the thriftier rclone`,
      wanted: '< 1×',
      measured: times(cpu),
      met: cpu < 1,
    },
  ];
}

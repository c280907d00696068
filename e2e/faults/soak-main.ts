// `npm run soak`: lets a whole Weir work for minutes and says whether anything grew. Exit code 0: nothing did.
import { writeFileSync } from 'node:fs';
import { readFlags, runScript, say, tableOf } from './flags.ts';
import { rssImage, rssText } from './soak-picture.ts';
import type { SoakSample } from './soak-samples.ts';
import { soak } from './soak.ts';

const USAGE = `npm run soak -- [options]
  --minutes N          how long (30); the first third is warm-up
  --agents N           agents that copy job after job, ten to a process (10)
  --consoles N         consoles in the group (1)
  --window-seconds N   length of a credit window (1)
  --limit N            global limit in TPS (200)
  --objects N          objects a job (200)
  --sample-seconds N   time between two looks (60; 20 below 20 minutes)
  --s3 rgw|bundled     server that is copied on (rgw needs the Debian packages radosgw, ceph-mon and ceph-osd)
  --svg FILE           writes a picture of the memory over time
  --json               the report as JSON`;

const RANGES = {
  minutes: [30, 1, 1_440],
  agents: [10, 1, 200],
  consoles: [1, 1, 9],
  'window-seconds': [1, 1, 300],
  limit: [200, 100, 100_000],
  objects: [200, 1, 100_000],
  'sample-seconds': [0, 0, 600],
} as const;

function lineOf(sample: SoakSample): string {
  const processes = sample.processes.map(
    ({ name, rssMiB, handles }) => `${name} ${rssMiB.toFixed(0)} MiB ${handles} fd`,
  );
  const rows = Object.entries(sample.rows).filter(([, count]) => count > 0);
  return [
    `${(sample.atSeconds / 60).toFixed(1)} min`,
    ...processes,
    `keys ${sample.keys}, undated ${sample.undatedKeys}`,
    `jobs ${sample.jobsEnded}`,
    `windows ${sample.windows}, above budget ${sample.windowsAboveBudget}`,
    `rows ${rows.map(([table, count]) => `${table} ${count}`).join(', ')}`,
  ].join(' · ');
}

await runScript(USAGE, async () => {
  const { numbers, s3, svg, json, help } = readFlags(RANGES);
  if (help) {
    process.stdout.write(`${USAGE}\n`);
    return true;
  }
  const { minutes, agents, consoles, limit, objects } = numbers;
  const sampleSeconds = numbers['sample-seconds'] || (minutes < 20 ? 20 : 60);
  const fleet = { agents, consoles, windowSeconds: numbers['window-seconds'], limitTps: limit, objectsPerJob: objects };
  const report = await soak({ minutes, sampleSeconds, s3, ...fleet }, (sample) => say(lineOf(sample)));
  const flat = report.findings.every(({ ok }) => ok);
  if (svg !== '') writeFileSync(svg, rssImage(report.samples));
  if (json) process.stdout.write(`${JSON.stringify({ flat, ...report })}\n`);
  else {
    const verdict = flat ? 'nothing grew' : 'something grew, or failed';
    process.stdout.write(`\n${rssText(report.samples)}\n\n${tableOf(report.findings)}\n${verdict}\n`);
  }
  return flat;
});

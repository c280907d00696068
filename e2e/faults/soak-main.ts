// `npm run soak`: lets a whole Weir work for minutes and says whether anything grew. Exit code 0: nothing did.
import { writeFileSync } from 'node:fs';
import { readFlags, runScript, say, tableOf, usageOf } from './flags.ts';
import { SOAK_RANGES } from './ranges.ts';
import { rssImage, rssText } from './soak-picture.ts';
import type { SoakSample } from './soak-samples.ts';
import { soak } from './soak.ts';

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

const usage = usageOf('soak');

await runScript(usage, async () => {
  const { numbers, s3, svg, json, help } = readFlags(SOAK_RANGES);
  if (help) {
    process.stdout.write(usage);
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

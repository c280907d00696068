// `npm run chaos`: kills leaders and takes servers away while agents copy, and says what held. Exit code 0: everything.
import { chaos } from './chaos.ts';
import { readFlags, runScript, say, tableOf, usageOf } from './flags.ts';
import { CHAOS_RANGES } from './ranges.ts';

const usage = usageOf('chaos');

await runScript(usage, async () => {
  const { numbers, s3, json, help } = readFlags(CHAOS_RANGES);
  if (help) {
    process.stdout.write(usage);
    return true;
  }
  const { kills, agents, consoles, limit, seed, objects } = numbers;
  const servers = {
    s3,
    outageSeconds: numbers['outage-seconds'],
    restarts: true,
    longestPauseMs: 4_000,
    takeOverMs: 5_000,
  };
  const fleet = { agents, consoles, windowSeconds: numbers['window-seconds'], limitTps: limit, objectsPerJob: objects };
  say(`seed ${seed}`);
  const report = await chaos({ kills, seed, ...fleet, ...servers }, say);
  const { checks, takeOversMs, windows, seconds } = report;
  const held = checks.every(({ ok }) => ok);
  if (json) process.stdout.write(`${JSON.stringify({ seed, held, ...report })}\n`);
  else {
    const sorted = takeOversMs.toSorted((a, b) => a - b);
    const median = ((sorted[Math.floor(sorted.length / 2)] ?? 0) / 1_000).toFixed(2);
    const summary = `${windows} windows and ${report.objects} objects in ${seconds.toFixed(0)} s; ${takeOversMs.length} take-overs, median ${median} s`;
    process.stdout.write(`\n${tableOf(checks)}\n${summary}\n${held ? 'everything held' : 'not everything held'}\n`);
  }
  return held;
});

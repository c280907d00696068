// `npm run chaos`: kills leaders and takes servers away while agents copy, and says what held. Exit code 0: everything.
import { chaos } from './chaos.ts';
import { readFlags, runScript, say, tableOf } from './flags.ts';

const USAGE = `npm run chaos -- [options]
  --kills N            leaders that are killed with SIGKILL, at random moments (20)
  --agents N           agents that copy meanwhile, ten to a process (50)
  --consoles N         consoles in the group (3)
  --outage-seconds N   Redis and PostgreSQL away together, once for each way to go on (60); 0: not at all
  --window-seconds N   length of a credit window (2)
  --limit N            global limit in TPS (400)
  --objects N          objects a job (400)
  --s3 rgw|bundled     server that is copied on (rgw needs the Debian packages radosgw, ceph-mon and ceph-osd)
  --seed N             the same moments again (random)
  --json               the report as JSON`;

const RANGES = {
  kills: [20, 0, 1_000],
  agents: [50, 1, 200],
  consoles: [3, 1, 9],
  'outage-seconds': [60, 0, 600],
  'window-seconds': [2, 1, 30],
  limit: [400, 100, 100_000],
  objects: [400, 1, 100_000],
  seed: [Math.trunc(Math.random() * 2 ** 31), 0, 2 ** 32 - 1],
} as const;

await runScript(USAGE, async () => {
  const { numbers, s3, json, help } = readFlags(RANGES);
  if (help) {
    process.stdout.write(`${USAGE}\n`);
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

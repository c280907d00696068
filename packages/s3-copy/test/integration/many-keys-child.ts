/**
 * A dry run over a listing in a process of its own, whose memory is measured. The options come as JSON in the first
 * argument; the last line printed says what was found, how long it took and the most memory that was resident.
 */
import { copyRange, listPages, pageFetcher, callContext } from '../../src/index.ts';
import { clientFor } from './fixtures.ts';

interface ChildOptions {
  server: Parameters<typeof clientFor>[0];
  source: string;
  /** null: only list the source. */
  target: string | null;
  listings: number;
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by the test beside it
const { server, source, target, listings } = JSON.parse(process.argv[2] ?? '') as ChildOptions;
const client = clientFor(server);
const startedAt = performance.now();
const startRssBytes = process.memoryUsage.rss();
let objects = 0;
let live = {};
if (target === null) {
  const options = { bucket: source, prefix: '', listings };
  for await (const page of listPages(pageFetcher(client, callContext()), options)) objects += page.length;
} else {
  const run = copyRange({
    source: { client, bucket: source, prefix: '' },
    target: { client, bucket: target, prefix: '' },
    mode: 'incremental',
    checkBy: 'listing',
    dryRun: true,
    listings,
    onThrottled: () => undefined,
    onPlanned: () => {
      objects++;
    },
  });
  const { error, snapshot } = await run.result;
  if (error !== null) throw error;
  live = snapshot.live;
}
const ms = Math.round(performance.now() - startedAt);
// In KiB on Linux.
const peakRssBytes = process.resourceUsage().maxRSS * 1024;
process.stdout.write(`${JSON.stringify({ objects, live, ms, startRssBytes, peakRssBytes })}\n`);
await client.close();

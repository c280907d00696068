// What the monitor costs a browser with 500 agents × 60 points: run after a build, with
//   NODE_OPTIONS=--conditions=@weir/source npx tsx benchmarks/web/monitor.ts
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import type { Browser, BrowserType, Page } from 'playwright-core';
import { type FixtureConsole, startFixtureConsole } from '../../apps/web/test/fixture/server.ts';

const UPDATES = 9;
const HOVERED_POINTS = 60;

/** One task of the page's main thread, in ms. */
interface Task {
  atMs: number;
  tookMs: number;
}

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  ts: number;
  dur?: number;
  /** Time of the thread itself, without what other processes took meanwhile; in µs. */
  tdur?: number;
  args?: { name?: string };
}

/** Tasks of the renderer's main thread while `work` runs, from Chromium's own trace. */
async function tasksDuring(browser: Browser, page: Page, work: () => Promise<void>): Promise<Task[]> {
  await browser.startTracing(page, { categories: ['toplevel', '__metadata', 'disabled-by-default-devtools.timeline'] });
  await work();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the form of Chromium's traces
  const trace = JSON.parse((await browser.stopTracing()).toString('utf8')) as { traceEvents: TraceEvent[] };
  const main = trace.traceEvents.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain');
  const isMain = ({ pid, tid }: TraceEvent): boolean => main.some((thread) => thread.pid === pid && thread.tid === tid);
  return trace.traceEvents
    .filter((event) => event.ph === 'X' && event.name === 'RunTask' && isMain(event))
    .map(({ ts, dur = 0, tdur = dur }) => ({ atMs: ts / 1_000, tookMs: tdur / 1_000 }));
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

async function measureUpdates(browser: Browser, page: Page, console_: FixtureConsole): Promise<string[]> {
  const longest: number[] = [];
  const sums: number[] = [];
  for (let update = 0; update < UPDATES; update += 1) {
    const factor = 0.8 + 0.05 * update;
    console_.alterMonitor = (view) => ({
      ...view,
      totalActualTps: Math.round(view.totalActualTps * factor),
      rows: view.rows.map((row) => ({ ...row, actualTps: row.actualTps * factor, parkedOps: update })),
      series: {
        ...view.series,
        agents: view.series.agents.map((agent) => ({
          ...agent,
          actualTps: agent.actualTps.map((tps) => (tps === null ? null : tps * factor)),
        })),
      },
    });
    const tasks = await tasksDuring(browser, page, async () => {
      await page.getByRole('button', { name: 'Refresh' }).click();
      await page.getByText(/Refreshed at/).waitFor({ state: 'attached' });
      await page.waitForTimeout(400);
    });
    longest.push(Math.max(...tasks.map(({ tookMs }) => tookMs)));
    sums.push(tasks.reduce((sum, { tookMs }) => sum + tookMs, 0));
  }
  return [
    `update: longest task ${median(longest).toFixed(1)} ms (worst ${Math.max(...longest).toFixed(1)} ms), main thread ${median(sums).toFixed(1)} ms in all (median of ${UPDATES})`,
  ];
}

async function measureHover(browser: Browser, page: Page): Promise<string> {
  const box = await page.locator('.u-over').boundingBox();
  if (box === null) throw new Error('there is no chart');
  const tasks = await tasksDuring(browser, page, async () => {
    for (let point = 0; point < HOVERED_POINTS; point += 1) {
      await page.mouse.move(box.x + (box.width * point) / HOVERED_POINTS, box.y + box.height / 2);
    }
  });
  const sum = tasks.reduce((total, { tookMs }) => total + tookMs, 0);
  const longest = Math.max(...tasks.map(({ tookMs }) => tookMs));
  return `hover: ${(sum / HOVERED_POINTS).toFixed(1)} ms a point, longest task ${longest.toFixed(1)} ms (a frame is 16.7 ms)`;
}

async function measureFirstLoad(page: Page, url: string): Promise<string> {
  const scripts: Promise<Buffer>[] = [];
  page.on('response', (response) => {
    if (response.url().endsWith('.js')) scripts.push(response.body());
  });
  const startedAt = performance.now();
  await page.goto(`${url}/monitor`);
  await page.getByRole('slider').waitFor();
  await page.getByRole('rowheader').first().waitFor();
  const tookMs = performance.now() - startedAt;
  const bytes = (await Promise.all(scripts)).reduce((sum, script) => sum + gzipSync(script).length, 0);
  return `first load: ${Math.round(bytes / 1_000)} kB of script, compressed, ${Math.round(tookMs)} ms until chart and table are there`;
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a package of the end-to-end tests, not of the benchmarks
const { chromium } = createRequire(new URL('../../e2e/package.json', import.meta.url))('playwright-core') as {
  chromium: BrowserType;
};
const fixture = await startFixtureConsole('five-hundred');
const browser = await chromium.launch({
  executablePath: process.env['WEIR_CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  const page = await browser.newPage({ viewport: { width: 1_440, height: 900 } });
  console.log(`500 agents × 60 points in Chromium ${browser.version()}`);
  console.log(await measureFirstLoad(page, fixture.url));
  await page.waitForLoadState('networkidle');
  for (const line of await measureUpdates(browser, page, fixture)) console.log(line);
  console.log(await measureHover(browser, page));
} finally {
  await browser.close();
  await fixture.stop();
}

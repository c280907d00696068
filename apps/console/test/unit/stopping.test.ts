import { afterEach, beforeEach, expect, test } from 'vitest';
import { ConsoleMetrics } from '../../src/http/metrics.ts';
import { buildServer } from '../../src/http/server.ts';
import { Ticker } from '../../src/jobs/ticker.ts';
import { startTicks } from '../../src/jobs/ticks.ts';
import { shutDown } from '../../src/shut-down.ts';
import { stopInTime, StopUnfinished } from '../../src/stopping.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { SlowStatements } from '../support/slow-statements.ts';
import { silentLogger, TestConsole } from '../support/test-console.ts';

let console: TestConsole;
let clock: FakeClock;
let slow: SlowStatements;
let logged: object[];
beforeEach(async () => {
  const opened = await SlowStatements.storage(1);
  ({ slow } = opened);
  clock = new FakeClock(() => slow.settled());
  console = await TestConsole.start({ storage: opened.storage, clock });
  logged = [];
});
afterEach(() => console.stop());

/** Stops what a console runs, as `startConsole` does, and says how that ended. */
async function stopping(): Promise<{ ended: () => string | StopUnfinished }> {
  const log = { ...silentLogger, error: (fields: object) => void logged.push(fields) };
  const app = await buildServer(console.context, new ConsoleMetrics(), {
    version: '0',
    database: { kind: 'sqlite', place: 'weir.db' },
    metricsToken: 'x',
    publicUrl: () => '',
    webRoot: undefined,
    secureCookies: false,
    closing: () => true,
    tls: undefined,
    trustedProxies: [],
    logger: silentLogger,
  });
  const ticker = new Ticker(clock, silentLogger);
  startTicks(console.context, ticker);
  let ended: string | StopUnfinished = 'not yet';
  const running = { context: console.context, ticker, app, drainMs: 5_000 };
  const stopped = stopInTime({ clock, log }, (part) => shutDown(running, part));
  stopped.then(
    () => (ended = 'stopped'),
    (error: StopUnfinished) => (ended = error),
  );
  return { ended: () => ended };
}

test('a console whose database never answers stops within 20 seconds, and says what it waited for', async () => {
  await console.agent('a').then((agent) => agent.heartbeat());
  const release = slow.hold();
  const { ended } = await stopping();
  await clock.advance(19_999);
  expect(ended()).toBe('not yet');
  await clock.advance(1);
  expect(ended()).toBeInstanceOf(StopUnfinished);
  const unfinished = ['an answer of the database', 'the last heartbeats to be written'];
  expect(ended()).toMatchObject({
    unfinished,
    message: expect.stringContaining('within 20 s; it still waited for an '),
  });
  expect(logged).toContainEqual({ unfinished });
  release();
});

test('a console whose database was slow stops when that answers, and nothing is said later', async () => {
  await console.agent('a').then((agent) => agent.heartbeat());
  const release = slow.hold();
  const { ended } = await stopping();
  await clock.advance(10_000);
  expect(ended()).toBe('not yet');
  release();
  await clock.advance(0);
  expect(ended()).toBe('stopped');
  await clock.advance(20_000);
  expect(logged).toEqual([]);
});

test('a stop that fails says what with', async () => {
  const failed = stopInTime({ clock, log: silentLogger }, () => Promise.reject(new Error('the disk is gone')));
  await expect(failed).rejects.toThrow('the disk is gone');
  expect(clock.waiting).toBeGreaterThan(0);
});

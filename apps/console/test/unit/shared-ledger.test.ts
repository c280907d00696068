import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_GOVERNOR_SETTINGS, type Grant } from '@weir/protocol';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listWindows } from '../../src/actions/list-windows.ts';
import { saveGovernorSettings } from '../../src/actions/save-governor-settings.ts';
import { LedgerUnavailable } from '../../src/ports/credit-ledger.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { SimulatedLedgerServer } from '../support/simulated-ledger-server.ts';
import { TestConsole, usageOf, type TestAgent } from '../support/test-console.ts';

const GUARDED = { ...DEFAULT_GOVERNOR_SETTINGS, globalLimitTps: 1_000, overshootGuard: true };

let dir: string;
let clock: FakeClock;
let server: SimulatedLedgerServer;
let console: TestConsole;
let agent: TestAgent;
let grant: Grant;

const start = () => TestConsole.start({ clock, path: join(dir, 'weir.db'), ledger: server });

/** An agent that runs under the whole budget, and reports at the end of its window. */
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'weir-ledger-'));
  clock = new FakeClock();
  server = new SimulatedLedgerServer(() => clock.steadyMs());
  console = await start();
  await saveGovernorSettings(console.context, GUARDED, 'test');
  await clock.advance(0);
  agent = await console.agent('a');
  await agent.heartbeat();
  await console.job();
  await agent.take();
  grant = (await agent.heartbeat({ runningJobs: 1 })).grant!;
});
afterEach(async () => {
  await console.stop();
  await rm(dir, { recursive: true });
});

const report = (change: object = {}) =>
  console.known(agent.agentId).heartbeat({ runningJobs: 1, usage: usageOf(grant, change) });

test('the next console over the ledger grants the whole budget again with the first report, without waiting', async () => {
  await clock.advance(20_000);
  await console.stop();
  console = await start();
  await clock.advance(0);
  const answer = await report();
  expect(answer.grant).toMatchObject({ creditBudget: 30_000, windowNumber: 1 });
  expect(answer.grant?.epoch).not.toBe(grant.epoch);
});

test('a console whose ledger was lost grants nothing until what may be live has run out', async () => {
  expect(grant.creditBudget).toBe(30_000);
  await console.stop();
  server.flush();
  console = await start();
  await clock.advance(31_499);
  expect(await report()).toMatchObject({ grant: null, nextHeartbeatSeconds: 5 });
  expect(console.context.governing.ledgerReady).toBe(false);
  await clock.advance(5_000);
  const again = await console.known(agent.agentId).heartbeat({ runningJobs: 1 });
  expect(again.grant?.creditBudget).toBe(30_000);
  expect(console.context.governing.ledgerReady).toBe(true);
});

test('while the ledger is away a heartbeat is refused; repeated later it gets its grant, and its window is written once', async () => {
  await clock.advance(30_000);
  server.away = true;
  for (let turn = 0; turn < 4; turn += 1) await expect(report()).rejects.toBeInstanceOf(LedgerUnavailable);
  expect(console.context.governing.ledgerReady).toBe(false);
  server.away = false;
  // Draws whose answers were lost are counted until their periods end.
  await clock.advance(61_500);
  expect((await report({ chargedOps: 7 })).grant?.creditBudget).toBe(30_000);
  const windows = await listWindows(console.context, 10);
  expect(windows.filter(({ epoch, windowNumber }) => epoch === grant.epoch && windowNumber === 1)).toHaveLength(1);
});

test('an agent that goes idle while the ledger is away is answered: it needs no credits', async () => {
  await clock.advance(30_000);
  server.away = true;
  const answer = await console.known(agent.agentId).heartbeat({ runningJobs: 0, usage: usageOf(grant) });
  expect(answer.grant).toBeNull();
});

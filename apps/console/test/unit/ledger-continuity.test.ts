import { beforeEach, expect, test } from 'vitest';
import { PeriodCreditLedger } from '../../src/fleet/period-credit-ledger.ts';
import { LedgerUnavailable } from '../../src/ports/credit-ledger.ts';
import { SimulatedLedgerServer } from '../support/simulated-ledger-server.ts';

const LEASE_MS = 31_500;
const BUDGET = 3_000;

let nowMs: number;
let server: SimulatedLedgerServer;
beforeEach(() => {
  nowMs = 1_000_000;
  server = new SimulatedLedgerServer(() => nowMs);
});

async function leader(mayBeHeld: boolean, windowSeconds = 30): Promise<PeriodCreditLedger> {
  const leaseMs = windowSeconds * 1_050;
  const ledger = new PeriodCreditLedger({
    tier: server,
    windowSeconds,
    leaseMs,
    steadyMs: () => nowMs,
    shared: true,
  });
  ledger.begin(mayBeHeld);
  await ledger.keep();
  return ledger;
}

let windows = 0;
async function granted(ledger: PeriodCreditLedger): Promise<number> {
  windows += 1;
  const holder = { agentId: 'a', bootId: 'b', epoch: 'e', windowNumber: windows };
  return (await ledger.lease(holder, BUDGET, BUDGET))?.credits ?? 0;
}

test('without a ledger, a console that may have granted before waits for 1.05 windows, and says when it is ready', async () => {
  const ledger = await leader(true);
  expect(ledger.ready).toBe(false);
  nowMs += LEASE_MS - 1;
  expect(await granted(ledger)).toBe(0);
  nowMs += 1;
  expect(ledger.ready).toBe(true);
  expect(await granted(ledger)).toBe(BUDGET);
});

test('a console that never had agents grants at once; the next one goes on with its ledger', async () => {
  expect(await granted(await leader(false))).toBe(BUDGET);
  const next = await leader(true);
  expect(next.ready).toBe(true);
  nowMs += 61_500;
  expect(await granted(next)).toBe(BUDGET);
});

test('a console that takes over while a wait is under way waits for its end too', async () => {
  await leader(true);
  nowMs += 20_000;
  const next = await leader(true);
  nowMs += 11_499;
  expect(await granted(next)).toBe(0);
  nowMs += 1;
  expect(await granted(next)).toBe(BUDGET);
});

test.each([
  [-600_000, LEASE_MS + 1_000],
  [600_000, LEASE_MS],
])(
  'when the clock of the ledger is set by %d ms, periods prove nothing, and leases are waited for: %d ms',
  async (jumpMs, waitMs) => {
    const ledger = await leader(false);
    expect(await granted(ledger)).toBe(BUDGET);
    server.aheadMs += jumpMs;
    expect(await granted(ledger)).toBe(0);
    nowMs += waitMs - 1;
    expect(await granted(ledger)).toBe(0);
    nowMs += 1;
    expect(await granted(ledger)).toBe(BUDGET);
  },
);

test('a marker that is kept alive outlasts any idle time; one of a console that is gone for long is gone too', async () => {
  const ledger = await leader(false);
  for (let minutes = 0; minutes < 600; minutes += 1) {
    nowMs += 10_000;
    await ledger.keep();
  }
  expect((await leader(true)).ready).toBe(true);
  nowMs += 94_500;
  expect((await leader(true)).ready).toBe(false);
});

test('a console with longer windows has its leases waited for when the length is changed', async () => {
  expect(await granted(await leader(false, 60))).toBe(BUDGET);
  const shorter = await leader(true, 30);
  nowMs += 63_999;
  expect(await granted(shorter)).toBe(0);
  nowMs += 1;
  expect(await granted(shorter)).toBe(BUDGET);
});

test('a ledger that is away gives nothing, and what it may have counted runs out', async () => {
  const ledger = await leader(false);
  server.away = true;
  for (let turn = 0; turn < 5; turn += 1) await expect(granted(ledger)).rejects.toBeInstanceOf(LedgerUnavailable);
  expect(ledger.ready).toBe(false);
  server.away = false;
  nowMs += 61_500;
  expect(await granted(ledger)).toBe(BUDGET);
  expect(ledger.ready).toBe(true);
});

test('a lease that was counted by counters which are lost is not given back to those that followed', async () => {
  const ledger = await leader(false);
  windows += 1;
  const old = await ledger.lease({ agentId: 'old', bootId: 'b', epoch: 'e', windowNumber: windows }, BUDGET, BUDGET);
  server.aheadMs -= 600_000;
  await ledger.keep();
  await granted(ledger);
  nowMs += LEASE_MS + 1_000;
  expect(await granted(ledger)).toBe(BUDGET);
  await ledger.end(old!);
  expect(await granted(ledger)).toBe(0);
});

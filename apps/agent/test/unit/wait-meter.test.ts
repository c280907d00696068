import { expect, test } from 'vitest';
import { WaitMeter } from '../../src/s3/wait-meter.ts';

test('time in which several operations wait counts once, and time in which none does not count', async () => {
  let nowMs = 0;
  const parked: ((ms: number) => void)[] = [];
  let open = false;
  const gate = {
    charge: () => (open ? undefined : new Promise<number>((resolve) => void parked.push(resolve))),
  };
  const meter = new WaitMeter(gate, () => nowMs);
  const admit = async (): Promise<void> => {
    parked.shift()?.(0);
    await new Promise((resolve) => setImmediate(resolve));
  };
  void meter.charge('GetObject', 0);
  nowMs = 1_000;
  void meter.charge('PutObject', 0);
  nowMs = 3_000;
  expect(meter.waitedMs).toBe(3_000);
  await admit();
  nowMs = 4_000;
  await admit();
  nowMs = 10_000;
  expect(meter.waitedMs).toBe(4_000);
  open = true;
  expect(meter.charge('GetObject', 0)).toBeUndefined();
  nowMs = 11_000;
  expect(meter.waitedMs).toBe(4_000);
});

test('an operation that gives up waiting does not count on', async () => {
  let nowMs = 0;
  const meter = new WaitMeter({ charge: () => Promise.reject(new Error('cancelled')) }, () => nowMs);
  await expect(meter.charge('GetObject', 0)).rejects.toThrow('cancelled');
  nowMs = 5_000;
  expect(meter.waitedMs).toBe(0);
});

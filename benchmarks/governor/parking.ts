import { setTimeout as sleep } from 'node:timers/promises';
import { heapBytes } from '../load/heap.ts';
import type { Gate } from './gates.ts';

/** What operations that wait for credits cost. */
export interface Parking {
  /** Parking all of them, in ms. */
  readonly parkMs: number;
  readonly bytesEach: number;
  /** CPU time of the process while all of them wait, as a share of one core. */
  readonly cpuWhileParked: number;
  /** From the moment that there are credits until the last of them goes on, in ms. */
  readonly wakeMs: number;
  /** Operations that went on before an older one. */
  readonly overtakings: number;
}

/** Parks operations, leaves them alone for a while, and wakes all of them by one grant. */
export async function park(gate: Gate, restMs: number): Promise<Parking> {
  const operations = gate.parked;
  const closed = gate.close(operations);
  const before = heapBytes();
  let admitted = 0;
  let overtakings = 0;
  let wokenAtMs = 0;
  const waiting: Promise<void>[] = [];
  const operation = async (index: number): Promise<void> => {
    await closed.wait();
    if (index !== admitted) overtakings += 1;
    admitted += 1;
    wokenAtMs = performance.now();
  };
  const parkedAtMs = performance.now();
  for (let index = 0; index < operations; index += 1) waiting.push(operation(index));
  // Some take their operations in later.
  await sleep(0);
  const parkMs = performance.now() - parkedAtMs;
  const bytesEach = (heapBytes() - before) / operations;
  await sleep(10);
  const cpu = process.cpuUsage();
  const restedAtMs = performance.now();
  await sleep(restMs);
  const { user, system } = process.cpuUsage(cpu);
  const cpuWhileParked = (user + system) / 1_000 / (performance.now() - restedAtMs);
  if (admitted !== 0) throw new Error(`${gate.name}: an operation did not wait`);
  const grantedAtMs = await closed.grant();
  await Promise.all(waiting);
  return { parkMs, bytesEach, cpuWhileParked, wakeMs: wokenAtMs - grantedAtMs, overtakings };
}

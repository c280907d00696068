import { Coordinator, type PolicyName, type WindowGrant } from '@weir/governor';
import { heapBytes } from '../load/heap.ts';

/** What heartbeats of a fleet cost, in µs each. */
export interface Heartbeats {
  readonly agents: number;
  readonly meanUs: number;
  readonly p50Us: number;
  readonly p99Us: number;
  readonly bytesPerAgent: number;
}

const WINDOW_SECONDS = 30;

/** How much of its allocation an agent of each kind uses: some are hungry, some give back. */
const USE = [1, 0.95, 0.7, 0.3, 1];

/**
 * A fleet whose agents all run a job and send their heartbeats one after the other, evenly spread over the window, with
 * demands that move: agents change what they use with each window.
 */
export function heartbeats(agents: number, measured: number, policy: PolicyName = 'reclaim'): Heartbeats {
  const before = heapBytes();
  const coordinator = new Coordinator({
    epoch: 'e',
    windowSeconds: WINDOW_SECONDS,
    enabled: true,
    globalLimitTps: agents * 50,
    policy,
  });
  const ids = Array.from({ length: agents }, (_, index) => `agent-${index}`);
  const grants: (WindowGrant | null)[] = ids.map((id) => coordinator.acceptJob(id, 0));
  const pauseMs = (WINDOW_SECONDS * 1_000) / agents;
  const beat = (count: number): void => {
    const index = count % agents;
    const grant = grants[index] ?? null;
    const use = USE[(index + Math.floor(count / agents)) % USE.length] ?? 1;
    const report = {
      epoch: grant?.epoch ?? null,
      windowNumber: grant?.windowNumber ?? null,
      runningJobs: 1,
      limiter: true,
      actualTps: (grant?.allocatedTps ?? 0) * use,
    };
    const next = coordinator.heartbeat(ids[index] ?? '', report, WINDOW_SECONDS * 1_000 + count * pauseMs);
    if (next === null) throw new Error('a running agent got no grant');
    grants[index] = next;
  };
  // One window of every agent first, so that the split has heard of all.
  const warmUp = Math.max(agents, 20_000);
  for (let count = 0; count < warmUp; count += 1) beat(count);
  const bytesPerAgent = (heapBytes() - before) / agents;
  const took = new Float64Array(measured);
  const startedMs = performance.now();
  for (let count = 0; count < measured; count += 1) {
    const fromMs = performance.now();
    beat(warmUp + count);
    took[count] = (performance.now() - fromMs) * 1_000;
  }
  const meanUs = ((performance.now() - startedMs) * 1_000) / measured;
  took.sort();
  const at = (share: number): number => took[Math.floor(measured * share)] ?? Number.NaN;
  return { agents, meanUs, p50Us: at(0.5), p99Us: at(0.99), bytesPerAgent };
}

import type { Grant, HeartbeatRequest, HeartbeatResponse, LimiterInstructions } from '@weir/protocol';
import { AgentGovernor, type AgentGovernorOptions, type GovernorEvent } from '../../src/index.ts';
import { SimulatedTime } from './simulated-time.ts';

export interface PendingHeartbeat {
  request: HeartbeatRequest;
  signal: AbortSignal;
  answer: (response: Partial<HeartbeatResponse>) => Promise<void>;
  fail: (error: unknown) => Promise<void>;
}

export const enforced: LimiterInstructions = {
  mode: 'enforced',
  settingsVersion: 1,
  chargedTypes: ['LIST', 'GET', 'PUT'],
};
export const off: LimiterInstructions = { ...enforced, mode: 'off', settingsVersion: 2 };

export function grant(windowNumber: number, creditBudget: number, more: Partial<Grant> = {}): Grant {
  return { epoch: 'e1', windowNumber, windowSeconds: 30, allocatedTps: creditBudget / 30, creditBudget, ...more };
}

/** A governor whose console is the test: every heartbeat waits in `sent` until the test answers it. */
export class Bench {
  readonly time = new SimulatedTime();
  readonly sent: PendingHeartbeat[] = [];
  readonly events: GovernorEvent[] = [];
  readonly governor: AgentGovernor;
  runningJobs = 1;
  random = 0.5;
  bytesRead = 0;

  constructor(options: Partial<AgentGovernorOptions> = {}) {
    this.governor = new AgentGovernor({
      transport: { heartbeat: (request, signal) => this.#receive(request, signal) },
      identity: { version: '1.2.3', host: 'h', bootId: 'b1' },
      runningJobs: () => this.runningJobs,
      takeTransferredBytes: () => {
        const bytes = { bytesRead: this.bytesRead, bytesWritten: 2 * this.bytesRead };
        this.bytesRead = 0;
        return bytes;
      },
      onEvent: (event) => this.events.push(event),
      now: this.time.now,
      startTimer: this.time.startTimer,
      random: () => this.random,
      ...options,
    });
  }

  /** The latest heartbeat. */
  get last(): PendingHeartbeat {
    const last = this.sent.at(-1);
    if (last === undefined) throw new Error('no heartbeat was sent');
    return last;
  }

  /** Starts and answers the first heartbeat. */
  async startWith(first: Grant | null, limiter: LimiterInstructions = enforced): Promise<void> {
    this.governor.start();
    await this.last.answer({ grant: first, limiter });
  }

  /** Charges one single-part PUT; says when it was admitted. */
  put(signal?: AbortSignal): { admitted: boolean; parkedMs: number | null; error: unknown } {
    const outcome = { admitted: false, parkedMs: null as number | null, error: undefined as unknown };
    const parked = this.governor.charge('PutObject', 0, signal);
    if (parked === undefined) outcome.admitted = true;
    else {
      parked.then(
        (parkedMs) => Object.assign(outcome, { admitted: true, parkedMs }),
        (error: unknown) => Object.assign(outcome, { error }),
      );
    }
    return outcome;
  }

  eventTypes(): string[] {
    return this.events.map(({ type }) => type);
  }

  #receive(request: HeartbeatRequest, signal: AbortSignal): Promise<HeartbeatResponse> {
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('given up')));
      this.sent.push({
        request: structuredClone(request),
        signal,
        answer: (response) => {
          resolve({ limiter: enforced, grant: null, nextHeartbeatSeconds: 30, consoleTimeMs: 0, ...response });
          return this.time.settle();
        },
        fail: (error) => {
          reject(error instanceof Error ? error : new Error(String(error)));
          return this.time.settle();
        },
      });
    });
  }
}

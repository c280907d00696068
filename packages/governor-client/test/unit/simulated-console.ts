import { NetworkError } from '@weir/client';
import type { Grant, HeartbeatRequest, HeartbeatResponse, LimiterInstructions, WindowUsage } from '@weir/protocol';
import type { HeartbeatTransport } from '../../src/index.ts';
import type { SimulatedTime } from './simulated-time.ts';

/** What the network does to one exchange. */
export type Fate = 'delivered' | 'request-lost' | 'answer-lost';

/**
 * A console for one agent that follows D2: a repeated report gets the same answer, each new one a new window. It keeps a
 * ledger of what it granted and what was reported, across its restarts.
 */
export class SimulatedConsole implements HeartbeatTransport {
  readonly windowSeconds = 5;
  readonly granted = new Map<string, number>();
  readonly reported = new Map<string, WindowUsage>();
  heartbeats = 0;
  budget = 20;
  limiter: LimiterInstructions = { mode: 'enforced', settingsVersion: 1, chargedTypes: ['LIST', 'GET', 'PUT'] };
  fate: Fate = 'delivered';
  delayMs = 5;
  readonly #time: SimulatedTime;
  #life = 1;
  #windowNumber = 0;
  #active = false;
  #answered: { report: string; grant: Grant } | null = null;

  constructor(time: SimulatedTime) {
    this.#time = time;
  }

  restart(): void {
    this.#life++;
    this.#windowNumber = 0;
    this.#active = false;
    this.#answered = null;
  }

  switchLimiter(on: boolean): void {
    const mode = on ? 'enforced' : 'off';
    if (mode === this.limiter.mode) return;
    this.limiter = { ...this.limiter, mode, settingsVersion: this.limiter.settingsVersion + 1 };
    if (!on) this.#active = false;
  }

  /** Hands out work; a grant comes with it when the agent ran none. */
  claim(): { grant: Grant | null; limiter: LimiterInstructions } {
    const grant = this.limiter.mode === 'enforced' && !this.#active ? this.#grant() : null;
    return { grant, limiter: this.limiter };
  }

  async heartbeat(request: HeartbeatRequest, signal: AbortSignal): Promise<HeartbeatResponse> {
    this.heartbeats++;
    const { fate, delayMs } = this;
    await this.#pass(delayMs / 2);
    const response = fate === 'request-lost' ? null : this.#handle(structuredClone(request));
    await this.#pass(delayMs / 2);
    if (signal.aborted) throw new Error('given up');
    if (response === null || fate === 'answer-lost') throw new NetworkError('unreachable', fate);
    return response;
  }

  #handle(request: HeartbeatRequest): HeartbeatResponse {
    const report = request.usage === null ? null : `${request.usage.epoch}/${request.usage.windowNumber}`;
    if (report !== null && request.usage !== null) this.#record(report, request.usage);
    return {
      limiter: this.limiter,
      grant: this.#answer(report, request.runningJobs),
      nextHeartbeatSeconds: this.windowSeconds,
      consoleTimeMs: 0,
    };
  }

  #answer(report: string | null, runningJobs: number): Grant | null {
    if (runningJobs === 0 || this.limiter.mode === 'off') {
      this.#active = false;
      this.#answered = null;
      return null;
    }
    if (report !== null && this.#answered?.report === report) return this.#answered.grant;
    const grant = this.#grant();
    if (report !== null) this.#answered = { report, grant };
    return grant;
  }

  #grant(): Grant {
    this.#active = true;
    this.#windowNumber++;
    const grant = {
      epoch: `e${this.#life}`,
      windowNumber: this.#windowNumber,
      windowSeconds: this.windowSeconds,
      allocatedTps: this.budget / this.windowSeconds,
      creditBudget: this.budget,
    };
    this.granted.set(`${grant.epoch}/${grant.windowNumber}`, grant.creditBudget);
    return grant;
  }

  #record(report: string, usage: WindowUsage): void {
    const earlier = this.reported.get(report);
    if (earlier !== undefined && JSON.stringify(earlier) !== JSON.stringify(usage)) {
      throw new Error(`report ${report} changed between its repetitions`);
    }
    this.reported.set(report, usage);
  }

  #pass(ms: number): Promise<void> {
    return new Promise((resolve) => this.#time.startTimer(resolve, ms));
  }
}

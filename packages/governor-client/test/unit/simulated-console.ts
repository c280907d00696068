import { NetworkError } from '@weir/client';
import type { Grant, HeartbeatRequest, HeartbeatResponse, LimiterInstructions, WindowUsage } from '@weir/protocol';
import type { HeartbeatTransport } from '../../src/index.ts';
import type { SimulatedTime } from './simulated-time.ts';

/** What the network does to one exchange. */
export type Fate = 'delivered' | 'request-lost' | 'answer-lost';

/** Who decides about grants in a simulated console. */
export interface Granter {
  /** A new life: nothing is remembered. */
  restart(): void;
  setBudget(credits: number): void;
  /** The limiter was switched on or off. */
  setEnabled(enabled: boolean): void;
  claim(): Grant | null;
  heartbeat(request: HeartbeatRequest): Grant | null;
}

/** A console for one agent. It keeps a ledger of what it granted and what was reported, across its restarts. */
export class SimulatedConsole implements HeartbeatTransport {
  readonly windowSeconds = 5;
  readonly granted = new Map<string, number>();
  readonly reported = new Map<string, WindowUsage>();
  heartbeats = 0;
  limiter: LimiterInstructions = { mode: 'enforced', settingsVersion: 1, chargedTypes: ['LIST', 'GET', 'PUT'] };
  fate: Fate = 'delivered';
  delayMs = 5;
  readonly granter: Granter;
  readonly #time: SimulatedTime;

  constructor(time: SimulatedTime, granter: Granter) {
    this.#time = time;
    this.granter = granter;
  }

  switchLimiter(on: boolean): void {
    const mode = on ? 'enforced' : 'off';
    if (mode === this.limiter.mode) return;
    this.limiter = { ...this.limiter, mode, settingsVersion: this.limiter.settingsVersion + 1 };
    this.granter.setEnabled(on);
  }

  /** Hands out work; a grant comes with it when the agent ran none. */
  claim(): { grant: Grant | null; limiter: LimiterInstructions } {
    return { grant: this.#noted(this.granter.claim()), limiter: this.limiter };
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
    if (request.usage !== null) this.#record(request.usage);
    return {
      limiter: this.limiter,
      grant: this.#noted(this.granter.heartbeat(request)),
      nextHeartbeatSeconds: this.windowSeconds,
      consoleTimeMs: 0,
    };
  }

  #noted(grant: Grant | null): Grant | null {
    if (grant !== null) this.granted.set(`${grant.epoch}/${grant.windowNumber}`, grant.creditBudget);
    return grant;
  }

  #record(usage: WindowUsage): void {
    const report = `${usage.epoch}/${usage.windowNumber}`;
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

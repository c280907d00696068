import { Coordinator } from '@weir/governor';
import type { Grant, HeartbeatRequest } from '@weir/protocol';
import type { Granter } from './simulated-console.ts';

const WINDOW_SECONDS = 5;
const OTHERS = Array.from({ length: 19 }, (_, index) => `other-${index}`);

/** Grants whatever budget the test names, also none: harsher than a coordinator would be. */
export class FreeGranter implements Granter {
  #budget = 20;
  #enabled = true;
  #life = 1;
  #windowNumber = 0;
  #active = false;
  #answered: { report: string; grant: Grant } | null = null;

  restart(): void {
    this.#life++;
    this.#windowNumber = 0;
    this.#active = false;
    this.#answered = null;
  }

  setBudget(credits: number): void {
    this.#budget = credits;
  }

  setEnabled(enabled: boolean): void {
    this.#enabled = enabled;
    if (!enabled) this.#active = false;
  }

  claim(): Grant | null {
    return this.#enabled && !this.#active ? this.#grant() : null;
  }

  heartbeat({ runningJobs, usage }: HeartbeatRequest): Grant | null {
    if (runningJobs === 0 || !this.#enabled) {
      this.#active = false;
      this.#answered = null;
      return null;
    }
    const report = usage === null ? null : `${usage.epoch}/${usage.windowNumber}`;
    if (report !== null && this.#answered?.report === report) return this.#answered.grant;
    const grant = this.#grant();
    if (report !== null) this.#answered = { report, grant };
    return grant;
  }

  #grant(): Grant {
    this.#active = true;
    this.#windowNumber++;
    return {
      epoch: `e${this.#life}`,
      windowNumber: this.#windowNumber,
      windowSeconds: WINDOW_SECONDS,
      allocatedTps: this.#budget / WINDOW_SECONDS,
      creditBudget: this.#budget,
    };
  }
}

/** The real coordinator, with 19 more agents that take their shares of the smallest limit. */
export class CoordinatorGranter implements Granter {
  readonly #now: () => number;
  #limitTps = 100;
  #enabled = true;
  #life = 0;
  #coordinator: Coordinator;

  constructor(now: () => number) {
    this.#now = now;
    this.#coordinator = this.#newLife();
  }

  restart(): void {
    this.#coordinator = this.#newLife();
  }

  setBudget(credits: number): void {
    this.#limitTps = 100 + credits;
    this.#configure();
  }

  setEnabled(enabled: boolean): void {
    this.#enabled = enabled;
    this.#configure();
  }

  claim(): Grant | null {
    this.#othersAreThere();
    return this.#coordinator.acceptJob('agent', this.#now());
  }

  heartbeat({ runningJobs, usage, limiter }: HeartbeatRequest): Grant | null {
    this.#othersAreThere();
    const report = {
      epoch: usage?.epoch ?? null,
      windowNumber: usage?.windowNumber ?? null,
      runningJobs,
      limiter,
      actualTps: usage?.actualTps ?? 0,
    };
    return this.#coordinator.heartbeat('agent', report, this.#now());
  }

  #newLife(): Coordinator {
    this.#life++;
    const coordinator = new Coordinator({
      epoch: `e${this.#life}`,
      windowSeconds: WINDOW_SECONDS,
      enabled: this.#enabled,
      globalLimitTps: this.#limitTps,
    });
    const lastHeartbeatAtMs = this.#now();
    coordinator.restore(['agent', ...OTHERS].map((id) => ({ id, lastHeartbeatAtMs })));
    return coordinator;
  }

  #configure(): void {
    this.#coordinator.configure({ enabled: this.#enabled, globalLimitTps: this.#limitTps });
  }

  #othersAreThere(): void {
    for (const other of OTHERS) this.#coordinator.acceptJob(other, this.#now());
  }
}

import type { RememberedGrant } from './live-agent.ts';

/*
 * Interim: an equal split over running agents, with numbered windows. It goes as soon as @weir/governor exports its
 * Coordinator, which has the same methods.
 */

interface Member {
  lastHeartbeatAtMs: number;
  running: boolean;
  limiter: boolean;
  actualTps: number;
  grant: RememberedGrant | null;
}

export interface CoordinatorReport {
  epoch: string | null;
  windowNumber: number | null;
  runningJobs: number;
  limiter: boolean;
  actualTps: number;
}

export class Coordinator {
  readonly #epoch: string;
  readonly #windowSeconds: number;
  readonly #members = new Map<string, Member>();
  #enabled: boolean;
  #limitTps: number;

  constructor(options: { epoch: string; windowSeconds: number; enabled: boolean; globalLimitTps: number }) {
    this.#epoch = options.epoch;
    this.#windowSeconds = options.windowSeconds;
    this.#enabled = options.enabled;
    this.#limitTps = Math.max(100, options.globalLimitTps);
  }

  configure(settings: { enabled: boolean; globalLimitTps: number }): void {
    this.#enabled = settings.enabled;
    this.#limitTps = Math.max(100, settings.globalLimitTps);
  }

  restore(agents: readonly { id: string; lastHeartbeatAtMs: number }[]): void {
    for (const { id, lastHeartbeatAtMs } of agents) this.#member(id).lastHeartbeatAtMs = lastHeartbeatAtMs;
  }

  heartbeat(agentId: string, report: CoordinatorReport, nowMs: number): RememberedGrant | null {
    const member = this.#member(agentId);
    member.lastHeartbeatAtMs = nowMs;
    member.limiter = report.limiter;
    member.actualTps = report.actualTps;
    member.running = report.runningJobs > 0;
    if (!this.#enabled || !member.running || !member.limiter) return null;
    const current = member.grant;
    const repeated =
      current !== null && report.epoch === this.#epoch && report.windowNumber === current.windowNumber - 1;
    if (repeated) return current;
    return this.#grant(
      member,
      this.#count(nowMs, (other) => other.running),
    );
  }

  acceptJob(agentId: string, nowMs: number): RememberedGrant | null {
    const member = this.#member(agentId);
    if (!this.#enabled || member.running || !member.limiter) return null;
    member.running = true;
    return this.#grant(
      member,
      this.#count(nowMs, () => true),
    );
  }

  forget(agentId: string): void {
    this.#members.delete(agentId);
  }

  tick(nowMs: number): void {
    for (const member of this.#members.values()) if (!this.#online(member, nowMs)) member.running = false;
  }

  snapshot(nowMs: number): { id: string; online: boolean; active: boolean; allocatedTps: number }[] {
    return [...this.#members].map(([id, member]) => {
      const online = this.#online(member, nowMs);
      return { id, online, active: online && member.running, allocatedTps: member.grant?.allocatedTps ?? 0 };
    });
  }

  #grant(member: Member, sharers: number): RememberedGrant {
    const allocatedTps = Math.max(1, this.#limitTps / Math.max(1, sharers));
    member.grant = {
      epoch: this.#epoch,
      windowNumber: (member.grant?.windowNumber ?? 0) + 1,
      windowSeconds: this.#windowSeconds,
      allocatedTps,
      creditBudget: Math.floor(allocatedTps * this.#windowSeconds),
    };
    return member.grant;
  }

  #count(nowMs: number, which: (member: Member) => boolean): number {
    return [...this.#members.values()].filter((member) => this.#online(member, nowMs) && which(member)).length;
  }

  #online(member: Member, nowMs: number): boolean {
    return nowMs - member.lastHeartbeatAtMs <= this.#windowSeconds * 3_000;
  }

  #member(id: string): Member {
    let member = this.#members.get(id);
    if (member === undefined) {
      member = {
        lastHeartbeatAtMs: Number.NEGATIVE_INFINITY,
        running: false,
        limiter: true,
        actualTps: 0,
        grant: null,
      };
      this.#members.set(id, member);
    }
    return member;
  }
}

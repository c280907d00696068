import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  Coordinator,
  reclaimAllocation,
  type CoordinatorAgent,
  type CoordinatorReport,
  type WindowGrant,
} from '../../src/index.ts';
import { limits, within } from './fleets.ts';

const W = 30_000;

/** One thing that happens to the fleet. `who` names an agent, `atRate` what it reports, as a part of its allocation. */
interface Happening {
  event:
    | 'heartbeat'
    | 'repeat'
    | 'idle'
    | 'accept'
    | 'forget'
    | 'restartAgent'
    | 'unthrottled'
    | 'tick'
    | 'limit'
    | 'toggle';
  who: number;
  passesMs: number;
  atRate: number;
  limit: number;
}

const happening: fc.Arbitrary<Happening> = fc.record({
  event: fc.oneof(
    { weight: 12, arbitrary: fc.constant('heartbeat' as const) },
    { weight: 4, arbitrary: fc.constant('accept' as const) },
    {
      weight: 5,
      arbitrary: fc.constantFrom('repeat', 'idle', 'forget', 'restartAgent', 'unthrottled', 'tick', 'limit', 'toggle'),
    },
  ),
  who: fc.nat(19),
  passesMs: fc.oneof(fc.nat(3_000), fc.nat(3_000), fc.nat(3_000), fc.nat(60_000)),
  atRate: fc.oneof(fc.constantFrom(0, 0.8, 0.9, 1), fc.double({ min: 0, max: 4, noNaN: true })),
  limit: limits,
});

type WindowEnd = Pick<CoordinatorReport, 'epoch' | 'windowNumber'>;
const BEFORE_ANY: WindowEnd = { epoch: null, windowNumber: null };

/** Plays happenings against a coordinator and remembers what each agent knows. */
class Fleet {
  readonly coordinator: Coordinator;
  nowMs = 1_000_000;
  limitTps: number;
  enabled = true;
  /** Latest grant that each agent has, and the report that it answered. */
  readonly grants = new Map<string, { grant: WindowGrant; answered: WindowEnd | null }>();
  /** Agents that have reported under the coordinator's present knowledge; others count as steady. */
  readonly reported = new Set<string>();

  constructor(limitTps: number) {
    this.limitTps = limitTps;
    this.coordinator = new Coordinator({ epoch: 'e1', windowSeconds: 30, enabled: true, globalLimitTps: limitTps });
  }

  play(next: Happening): WindowGrant | null {
    this.nowMs += next.passesMs;
    const id = `agent-${next.who}`;
    const held = this.grants.get(id);
    switch (next.event) {
      case 'heartbeat':
        return this.#beat(id, held?.grant ?? BEFORE_ANY, next.atRate * (held?.grant.allocatedTps ?? 0));
      case 'repeat':
        return held?.answered ? this.#beat(id, held.answered, 1) : null;
      case 'restartAgent':
        this.grants.delete(id);
        return this.#beat(id, BEFORE_ANY, 0);
      case 'idle':
      case 'unthrottled': {
        const limiter = next.event === 'idle';
        const end = { epoch: held?.grant.epoch ?? null, windowNumber: held?.grant.windowNumber ?? null };
        return this.coordinator.heartbeat(id, { ...end, runningJobs: 0, limiter, actualTps: 0 }, this.nowMs);
      }
      case 'accept': {
        const grant = this.coordinator.acceptJob(id, this.nowMs);
        if (grant !== null) this.#hold(id, grant, null, false);
        return grant;
      }
      case 'forget':
        this.coordinator.forget(id);
        return null;
      case 'tick':
        this.coordinator.tick(this.nowMs);
        return null;
      case 'limit':
      case 'toggle':
        break;
    }
    if (next.event === 'limit') this.limitTps = next.limit;
    else this.enabled = !this.enabled;
    this.coordinator.configure({ enabled: this.enabled, globalLimitTps: this.limitTps });
    return null;
  }

  #beat(id: string, ends: WindowEnd, actualTps: number): WindowGrant | null {
    const before = this.row(id);
    const end = { epoch: ends.epoch, windowNumber: ends.windowNumber };
    const grant = this.coordinator.heartbeat(id, { ...end, runningJobs: 1, limiter: true, actualTps }, this.nowMs);
    if (grant === null) return null;
    const fresh = grant.windowNumber !== before?.windowNumber;
    const continues = before?.active === true && before.allocatedTps > 0 && before.windowNumber === ends.windowNumber;
    this.#hold(id, grant, end, fresh ? continues : this.reported.has(id));
    return grant;
  }

  #hold(id: string, grant: WindowGrant, answered: WindowEnd | null, reported: boolean): void {
    this.grants.set(id, { grant, answered });
    if (reported) this.reported.add(id);
    else this.reported.delete(id);
  }

  row(id: string): CoordinatorAgent | undefined {
    return this.coordinator.snapshot(this.nowMs).find((agent) => agent.id === id);
  }

  /** What a full recompute says, from the outside: from what the snapshot shows. */
  expected(rows: readonly CoordinatorAgent[]): Map<string, number> {
    const running = rows.filter((agent) => agent.active && agent.limiter && agent.allocatedTps > 0);
    return reclaimAllocation(
      this.limitTps,
      running.map(({ id, allocatedTps, actualTps }) => ({
        id,
        allocatedTps,
        actualTps: this.reported.has(id) ? actualTps : null,
      })),
    );
  }
}

const histories = fc.array(happening, { maxLength: 120, size: 'max' });

describe('whatever happens to a fleet', () => {
  it('the next grants are what a full recompute of the running agents says, and fit the budget', () => {
    fc.assert(
      fc.property(limits, histories, (limit, happenings) => {
        const fleet = new Fleet(limit);
        for (const next of happenings) {
          fleet.play(next);
          const rows = fleet.coordinator.snapshot(fleet.nowMs);
          const expected = fleet.expected(rows);
          const projected = rows.filter((agent) => agent.nextTps > 0);
          expect(projected.map(({ id }) => id).sort()).toEqual([...expected.keys()].sort());
          for (const { id, nextTps } of projected) {
            const tps = expected.get(id) ?? Number.NaN;
            if (!(Math.abs(nextTps - tps) <= 1e-9 * Math.max(1, tps))) throw new Error(`${id}: ${nextTps}, not ${tps}`);
          }
          const sum = projected.reduce((total, agent) => total + agent.nextTps, 0);
          expect(within(sum, Math.max(100, fleet.limitTps, projected.length))).toBe(true);
        }
      }),
      { numRuns: 400 },
    );
  });

  it('a grant is floor(allocation × seconds) credits for at most one window, and numbers only grow', () => {
    fc.assert(
      fc.property(limits, histories, (limit, happenings) => {
        const fleet = new Fleet(limit);
        const latest = new Map<number, WindowGrant>();
        for (const next of happenings) {
          const grant = fleet.play(next);
          if (grant === null) continue;
          expect(grant.creditBudget).toBe(Math.floor(grant.allocatedTps * grant.windowSeconds));
          expect(grant.windowSeconds).toBeGreaterThan(0);
          expect(grant.windowSeconds).toBeLessThanOrEqual(30);
          expect(grant.allocatedTps).toBeGreaterThanOrEqual(1);
          const last = latest.get(next.who);
          const repeated = last?.windowNumber === grant.windowNumber;
          if (repeated && next.event !== 'restartAgent') {
            if (JSON.stringify(grant) !== JSON.stringify(last)) throw new Error('one number, two grants');
          }
          latest.set(next.who, grant);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('nobody’s running allocation is moved by anything but the agent’s own heartbeat, idleness or the switch', () => {
    fc.assert(
      fc.property(limits, histories, (limit, happenings) => {
        const fleet = new Fleet(limit);
        for (const next of happenings) {
          const before = new Map(fleet.coordinator.snapshot(fleet.nowMs).map((agent) => [agent.id, agent]));
          fleet.play(next);
          if (next.event === 'toggle') continue;
          const moved = fleet.coordinator
            .snapshot(fleet.nowMs)
            .filter((agent) => before.has(agent.id) && before.get(agent.id)?.allocatedTps !== agent.allocatedTps)
            .map(({ id }) => id);
          expect([[], [`agent-${next.who}`]]).toContainEqual(moved);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('no agent is paid for more time than has passed and one window', () => {
    fc.assert(
      fc.property(limits, histories, (limit, happenings) => {
        const fleet = new Fleet(limit);
        const paid = new Map<number, { sinceMs: number; paidMs: number; number: number; grants: number }>();
        for (const next of happenings) {
          if (next.event === 'forget') continue;
          const grant = fleet.play(next);
          const account = paid.get(next.who) ?? { sinceMs: fleet.nowMs, paidMs: 0, number: 0, grants: 0 };
          if (grant === null || grant.windowNumber === account.number) continue;
          account.paidMs += grant.windowSeconds * 1_000;
          account.number = grant.windowNumber;
          account.grants += 1;
          paid.set(next.who, account);
          // 1 s of tolerance for the last heartbeat, 1 ms for each: the shortest window.
          expect(account.paidMs).toBeLessThanOrEqual(fleet.nowMs - account.sinceMs + W + 1_000 + account.grants);
        }
      }),
      { numRuns: 500 },
    );
  });
});

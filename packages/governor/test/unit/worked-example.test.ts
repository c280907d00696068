import { describe, expect, it } from 'vitest';
import { chargeFor, Coordinator, CreditWindow, efficiencyPercent, type WindowGrant } from '../../src/index.ts';

function must(grant: WindowGrant | null): WindowGrant {
  if (grant === null) throw new Error('a grant was expected');
  return grant;
}

describe('coordinator and credit windows together', () => {
  it('164 TPS allocated → 4,920 credits → spent in 10 s → 492 TPS, 300 %, and a higher grant next', () => {
    let nowMs = 0;
    const coordinator = new Coordinator({ epoch: 'e1', windowSeconds: 30, enabled: true, globalLimitTps: 492 });
    const ids = ['busy', 'calm', 'idle'];
    const idle = { epoch: null, windowNumber: null, runningJobs: 0, limiter: true, actualTps: 0 };
    for (const id of ids) coordinator.heartbeat(id, idle, nowMs);
    const windows = new Map(ids.map((id) => [id, new CreditWindow({ now: () => nowMs })]));
    for (const [id, window] of windows) window.grant(must(coordinator.acceptJob(id, nowMs)));

    const perSecond = new Map([
      ['busy', 492],
      ['calm', 10],
      ['idle', 0],
    ]);
    const charge = chargeFor('PutObject', 0, new Set(['LIST', 'PUT']));
    for (let second = 0; second < 30; second += 1) {
      for (const [id, window] of windows) {
        for (let op = 0; op < (perSecond.get(id) ?? 0); op += 1) {
          nowMs = second * 1_000 + (op / (perSecond.get(id) ?? 1)) * 1_000;
          void window.charge(charge?.type ?? 'PUT', charge?.cost ?? 0);
        }
      }
    }
    nowMs = 30_000;

    const grants = new Map<string, WindowGrant>();
    for (const id of ['calm', 'idle', 'busy']) {
      const report = windows.get(id)?.endWindow();
      if (!report) throw new Error('no window was granted');
      grants.set(id, must(coordinator.heartbeat(id, { ...report, runningJobs: 1, limiter: true }, nowMs)));
      if (id !== 'busy') continue;
      expect(report).toMatchObject({ creditBudget: 4_920, chargedOps: 4_920, actualTps: 492 });
      expect(efficiencyPercent(report.actualTps, 164)).toBe(300);
    }
    expect(grants.get('busy')).toMatchObject({ windowNumber: 2, creditBudget: Math.floor(227.6 * 30) });
    expect(grants.get('busy')?.allocatedTps).toBeCloseTo(227.6, 6);
  });
});

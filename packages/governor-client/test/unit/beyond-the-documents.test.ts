import { NetworkError } from '@weir/client';
import { heartbeatRequest } from '@weir/protocol';
import { describe, expect, test } from 'vitest';
import { Bench, enforced, grant } from './scripted-console.ts';

const unreachable = new NetworkError('unreachable', 'connect ECONNREFUSED');
const admitted = (outcomes: { admitted: boolean }[]): number => outcomes.filter((each) => each.admitted).length;

describe('per-request costs', () => {
  test('a console that says so has every request charged, retries and HEADs too', async () => {
    const bench = new Bench();
    await bench.startWith(grant(1, 30), { ...enforced, costModel: 'per-request' });
    for (const [operation, attempt] of [
      ['HeadObject', 0],
      ['GetObject', 0],
      ['GetObject', 1],
      ['UploadPart', 3],
      ['CompleteMultipartUpload', 0],
    ] as const) {
      expect(bench.governor.charge(operation, attempt)).toBeUndefined();
    }
    expect(bench.governor.status.remainingCredits).toBe(25);
  });
});

describe('pacing', () => {
  test('credits are released evenly, and what waited for its slot is reported', async () => {
    const bench = new Bench();
    await bench.startWith(grant(1, 3_000), { ...enforced, pacing: { burstSeconds: 0.05 } });
    const outcomes = Array.from({ length: 500 }, () => bench.put());
    expect(admitted(outcomes)).toBe(5);
    for (let second = 1; second <= 4; second += 1) {
      await bench.time.advance(1_000);
      expect(admitted(outcomes)).toBeGreaterThanOrEqual(100 * second);
      expect(admitted(outcomes)).toBeLessThanOrEqual(100 * second + 5);
    }
    await bench.time.advance(26_000);
    expect(admitted(outcomes)).toBe(500);
    const usage = bench.last.request.usage;
    expect(usage).toMatchObject({ chargedOps: 500, exhaustedMs: 0, windowMs: 30_000 });
    expect(usage?.pacedMs).toBeGreaterThan(4_900);
    expect(usage?.pacedMs).toBeLessThan(5_100);
    expect(heartbeatRequest.safeParse(bench.last.request).success).toBe(true);
  });

  test('settings that switch it off release everything with the next grant', async () => {
    const bench = new Bench();
    await bench.startWith(grant(1, 3_000), { ...enforced, pacing: { burstSeconds: 0.05 } });
    const outcomes = Array.from({ length: 3_500 }, () => bench.put());
    await bench.time.advance(30_000);
    expect(admitted(outcomes)).toBeLessThanOrEqual(3_000);
    await bench.last.answer({ grant: grant(2, 3_000), limiter: enforced });
    expect(admitted(outcomes)).toBe(3_500);
    expect(bench.time.timers).toBe(1);
  });
});

describe('credits with an end', () => {
  test('are void when it has come, counted from when they were asked for', async () => {
    const bench = new Bench();
    bench.governor.start();
    await bench.time.advance(400);
    await bench.last.answer({ grant: grant(1, 100, { validSeconds: 10 }) });
    expect(bench.put().admitted).toBe(true);
    await bench.time.advance(9_599);
    expect(bench.put().admitted).toBe(true);
    await bench.time.advance(1);
    const late = bench.put();
    expect(late.admitted).toBe(false);
    await bench.time.advance(20_400);
    await bench.last.answer({ grant: grant(2, 100, { validSeconds: 31 }) });
    expect(late.admitted).toBe(true);
  });
});

describe('a safe rate', () => {
  const safe = { ...enforced, safeTps: 10 };

  test('goes on, paced, while no console answers, and ends with its answer', async () => {
    const bench = new Bench();
    await bench.startWith(grant(1, 3), safe);
    const outcomes = Array.from({ length: 200 }, () => bench.put());
    await bench.time.advance(30_000);
    await bench.last.fail(unreachable);
    const before = admitted(outcomes);
    expect(bench.events.at(-1)).toEqual({ type: 'safe-rate', tps: 10 });
    await bench.time.advance(1_000);
    expect(admitted(outcomes) - before).toBeLessThanOrEqual(11);
    await bench.last.fail(unreachable);
    await bench.time.advance(3_000);
    const during = admitted(outcomes) - 3;
    expect(during).toBeGreaterThanOrEqual(38);
    expect(during).toBeLessThanOrEqual(42);
    // The retry still carries the window that no console has heard of; its own charges are told next.
    expect(bench.last.request).toMatchObject({ usage: { windowNumber: 1, chargedOps: 3 } });
    expect(bench.last.request.safeOps).toBeUndefined();
    await bench.last.answer({ grant: grant(2, 0), limiter: safe });
    await bench.time.advance(20_000);
    expect(admitted(outcomes) - 3).toBe(during);
    await bench.time.advance(10_000);
    expect(bench.last.request).toMatchObject({ safeOps: during, usage: { windowNumber: 2, chargedOps: 0 } });
    expect(heartbeatRequest.safeParse(bench.last.request).success).toBe(true);
    await bench.last.answer({ grant: grant(3, 0), limiter: safe });
    await bench.time.advance(30_000);
    expect(bench.last.request.safeOps).toBeUndefined();
  });

  test('is told once, also when the first answer is lost', async () => {
    const bench = new Bench();
    await bench.startWith(grant(1, 1), safe);
    const outcomes = Array.from({ length: 100 }, () => bench.put());
    await bench.time.advance(30_000);
    await bench.last.fail(unreachable);
    await bench.time.advance(5_000);
    await bench.last.answer({ grant: grant(2, 0), limiter: safe });
    const safeOps = admitted(outcomes) - 1;
    expect(safeOps).toBeGreaterThan(0);
    await bench.time.advance(30_000);
    expect(bench.last.request.safeOps).toBe(safeOps);
    await bench.last.fail(unreachable);
    await bench.time.advance(5_000);
    const more = admitted(outcomes) - 1 - safeOps;
    expect(bench.last.request.safeOps).toBe(safeOps);
    await bench.last.answer({ grant: grant(3, 0), limiter: safe });
    await bench.time.advance(30_000);
    expect(bench.last.request.safeOps).toBe(more);
  });

  test('does not exist unless the settings have one: operations park', async () => {
    const bench = new Bench();
    await bench.startWith(grant(1, 1), enforced);
    const outcomes = [bench.put(), bench.put()];
    await bench.time.advance(30_000);
    await bench.last.fail(unreachable);
    await bench.time.advance(60_000);
    expect(admitted(outcomes)).toBe(1);
    expect(bench.eventTypes()).not.toContain('safe-rate');
  });

  test('does not break a holdoff, and does not start for an agent without jobs', async () => {
    const bench = new Bench();
    await bench.startWith(grant(1, 1), safe);
    const outcomes = [bench.put(), bench.put(), bench.put()];
    await bench.time.advance(30_000);
    await bench.last.fail(unreachable);
    expect(bench.governor.startHoldoff({ reason: '503', jobId: null })).toBe(true);
    await bench.time.advance(2_000);
    await bench.last.fail(unreachable);
    const held = admitted(outcomes);
    await bench.time.advance(20_000);
    expect(admitted(outcomes)).toBe(held);
    const idle = new Bench();
    idle.runningJobs = 0;
    await idle.startWith(null, safe);
    await idle.time.advance(30_000);
    await idle.last.fail(unreachable);
    expect(idle.eventTypes()).not.toContain('safe-rate');
  });
});

describe('changes', () => {
  const prompt = { ...enforced, reportChanges: true };

  test('an agent that begins to wait says so after two seconds, and once', async () => {
    const bench = new Bench();
    await bench.startWith(grant(1, 300), prompt);
    bench.put();
    await bench.time.advance(2_000);
    // A first window has told nothing yet, so that little use is news too.
    await bench.last.answer({ grant: grant(2, 300), limiter: prompt });
    const before = bench.sent.length;
    await bench.time.advance(5_000);
    expect(bench.sent).toHaveLength(before);
    for (let operation = 0; operation < 900; operation += 1) bench.put();
    await bench.time.advance(3_100);
    expect(bench.sent).toHaveLength(before + 1);
    expect(bench.last.request.usage).toMatchObject({ windowNumber: 2, chargedOps: 300, parkedOps: 600 });
    await bench.last.answer({ grant: grant(3, 300), limiter: prompt, nextHeartbeatSeconds: 30 });
    await bench.time.advance(29_000);
    expect(bench.sent).toHaveLength(before + 1);
  });

  test('an agent that uses far less than it told says so, with the rate of its last seconds', async () => {
    const bench = new Bench();
    await bench.startWith(grant(1, 3_000), prompt);
    for (let second = 0; second < 30; second += 1) {
      for (let operation = 0; operation < 90; operation += 1) bench.put();
      await bench.time.advance(1_000);
      if (bench.sent.length > 1) await bench.last.answer({ grant: grant(bench.sent.length, 3_000), limiter: prompt });
    }
    const before = bench.sent.length;
    for (let second = 0; second < 10; second += 1) {
      for (let operation = 0; operation < 90; operation += 1) bench.put();
      await bench.time.advance(1_000);
    }
    expect(bench.sent).toHaveLength(before);
    for (let second = 0; second < 4; second += 1) {
      bench.put();
      await bench.time.advance(1_000);
    }
    expect(bench.sent).toHaveLength(before + 1);
    expect(bench.last.request.usage?.actualTps).toBeGreaterThan(60);
    expect(bench.last.request.usage?.recentTps).toBeLessThanOrEqual(2);
    expect(heartbeatRequest.safeParse(bench.last.request).error).toBeUndefined();
  });

  test('a console that did not ask for it is told with the end of the window only', async () => {
    const bench = new Bench();
    await bench.startWith(grant(1, 3), enforced);
    for (let operation = 0; operation < 50; operation += 1) bench.put();
    await bench.time.advance(29_999);
    expect(bench.sent).toHaveLength(1);
    expect(bench.time.timers).toBe(1);
  });
});

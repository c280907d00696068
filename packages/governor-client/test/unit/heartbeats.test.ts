import { ApiError, NetworkError } from '@weir/client';
import { heartbeatRequest, PROTOCOL_VERSION } from '@weir/protocol';
import { describe, expect, test } from 'vitest';
import { GovernorStoppedError } from '../../src/index.ts';
import { Bench, enforced, grant, off } from './scripted-console.ts';

const unreachable = new NetworkError('unreachable', 'connect ECONNREFUSED');

describe('heartbeats', () => {
  test('the first is sent at once and says who the agent is, without a window', () => {
    const bench = new Bench();
    expect(bench.sent).toHaveLength(0);
    bench.governor.start();
    bench.governor.start();
    expect(bench.sent).toHaveLength(1);
    expect(bench.last.request).toEqual({
      protocolVersion: PROTOCOL_VERSION,
      version: '1.2.3',
      host: 'h',
      bootId: 'b1',
      limiter: true,
      runningJobs: 1,
      usage: null,
      holdoff: null,
    });
  });

  test('the next is sent when the console says, and reports the window that it ends', async () => {
    const bench = new Bench();
    await bench.startWith(grant(1, 3));
    bench.bytesRead = 500;
    await bench.time.advance(10_000);
    const outcomes = [bench.put(), bench.put(), bench.put(), bench.put()];
    expect(outcomes.map(({ admitted }) => admitted)).toEqual([true, true, true, false]);
    await bench.time.advance(19_999.5);
    expect(bench.sent).toHaveLength(1);
    await bench.time.advance(0.5);
    expect(bench.sent).toHaveLength(2);
    expect(heartbeatRequest.safeParse(bench.last.request).error).toBeUndefined();
    expect(bench.last.request.usage).toEqual({
      epoch: 'e1',
      windowNumber: 1,
      windowMs: 30_000,
      creditBudget: 3,
      chargedOps: 3,
      chargedByType: { LIST: 0, GET: 0, PUT: 3, DELETE: 0 },
      exhaustedMs: 20_000,
      actualTps: 0.3,
      meanTps: 0.1,
      peakSecondTps: 3,
      parkedOps: 1,
      bytesRead: 500,
      bytesWritten: 1_000,
    });
  });

  test('a report in fractions of a millisecond is rounded to what the wire carries', async () => {
    const bench = new Bench();
    await bench.startWith(grant(1, 1));
    await bench.time.advance(0.4);
    bench.put();
    bench.put();
    await bench.time.advance(0.7);
    bench.governor.startHoldoff({ reason: '503', jobId: null });
    expect(heartbeatRequest.safeParse(bench.last.request).error).toBeUndefined();
    expect(bench.last.request.usage).toMatchObject({ windowMs: 1, exhaustedMs: 1 });
  });

  test('while one is under way, credits of the ended window are void and operations park for the next', async () => {
    const bench = new Bench();
    await bench.startWith(grant(1, 100));
    await bench.time.advance(30_000);
    const late = bench.put();
    expect(late.admitted).toBe(false);
    await bench.last.answer({ grant: grant(2, 100) });
    expect(late.admitted).toBe(true);
    await bench.time.advance(30_000);
    expect(bench.last.request.usage).toMatchObject({ windowNumber: 2, chargedOps: 1 });
  });

  test('a report is delivered once: an idle agent sends none', async () => {
    const bench = new Bench();
    await bench.startWith(grant(1, 100));
    bench.runningJobs = 0;
    await bench.time.advance(30_000);
    expect(bench.last.request).toMatchObject({ runningJobs: 0, usage: { windowNumber: 1 } });
    await bench.last.answer({ grant: null });
    await bench.time.advance(30_000);
    expect(bench.last.request).toMatchObject({ runningJobs: 0, usage: null });
  });

  test.each([
    [0.000_001, 20],
    [Number.NaN, 3_600_000],
    [1e12, 3_600_000],
  ])('a console that names %s seconds is asked again after %i ms', async (nextHeartbeatSeconds, expectedMs) => {
    const bench = new Bench();
    bench.governor.start();
    await bench.last.answer({ nextHeartbeatSeconds });
    await bench.time.advance(expectedMs - 1);
    expect(bench.sent).toHaveLength(1);
    await bench.time.advance(1);
    expect(bench.sent).toHaveLength(2);
  });
});

describe('a console that does not answer', () => {
  test('gets the same report again, whatever happened since, until it answers', async () => {
    const bench = new Bench();
    await bench.startWith(grant(1, 10));
    bench.put();
    await bench.time.advance(30_000);
    const first = bench.last.request.usage;
    for (let failure = 0; failure < 5; failure++) {
      bench.bytesRead += 1_000;
      bench.put();
      await bench.last.fail(unreachable);
      await bench.time.advance(10_000);
      expect(bench.last.request.usage).toEqual(first);
    }
    expect(bench.sent).toHaveLength(7);
    await bench.last.answer({ grant: grant(2, 10) });
    await bench.time.advance(30_000);
    expect(bench.last.request.usage).toMatchObject({ windowNumber: 2, chargedOps: 5, bytesRead: 5_000 });
  });

  test('restores no credits: operations park and resume in order with the next grant', async () => {
    const bench = new Bench();
    await bench.startWith(grant(1, 10));
    await bench.time.advance(30_000);
    await bench.last.fail(unreachable);
    const order: number[] = [];
    for (let index = 0; index < 6; index++) {
      const parked = bench.governor.charge('ListObjectsV2', 0);
      parked?.then(() => order.push(index)).catch(() => undefined);
      await bench.time.advance(7_000);
      await bench.last.fail(unreachable);
    }
    expect(order).toEqual([]);
    expect(bench.governor.status).toMatchObject({ mode: 'closed', remainingCredits: 0, parkedOps: 6 });
    await bench.time.advance(10_000);
    await bench.last.answer({ grant: grant(2, 4) });
    expect(order).toEqual([0, 1, 2, 3]);
    await bench.time.advance(30_000);
    await bench.last.answer({ grant: grant(3, 4) });
    expect(order).toEqual([0, 1, 2, 3, 4, 5]);
    expect(bench.eventTypes()).toContain('console-back');
    expect(bench.events.find(({ type }) => type === 'console-back')).toMatchObject({ lostMs: 52_000 });
  });

  test.each([
    [0, [1_000, 1_000, 1_000, 1_000, 1_000]],
    [0.5, [1_500, 2_500, 4_500, 5_500, 5_500]],
    [0.999_999, [2_000, 4_000, 8_000, 10_000, 10_000]],
  ])('is retried after 1–10 s with growing jitter (random %d)', async (random, delaysMs) => {
    const bench = new Bench();
    bench.random = random;
    bench.governor.start();
    for (const delayMs of delaysMs) {
      const sent = bench.sent.length;
      await bench.last.fail(unreachable);
      const event = bench.events.at(-1);
      expect(event).toMatchObject({ type: 'console-lost', error: unreachable });
      expect(event?.type === 'console-lost' ? event.retryInMs : 0).toBeCloseTo(delayMs, 0);
      await bench.time.advance(delayMs - 1);
      expect(bench.sent).toHaveLength(sent);
      await bench.time.advance(1);
      expect(bench.sent).toHaveLength(sent + 1);
    }
  });

  test('that asks for time gets it', async () => {
    const bench = new Bench();
    bench.governor.start();
    await bench.last.fail(new ApiError({ code: 'unavailable', status: 503, message: 'busy', retryAfterMs: 42_000 }));
    await bench.time.advance(41_999);
    expect(bench.sent).toHaveLength(1);
    await bench.time.advance(1);
    expect(bench.sent).toHaveLength(2);
  });

  test('and then says that the report is malformed, is asked again without it', async () => {
    const bench = new Bench();
    await bench.startWith(grant(1, 10));
    await bench.time.advance(30_000);
    await bench.last.fail(new ApiError({ code: 'validation-failed', status: 400, message: 'usage.windowMs: no' }));
    const parked = bench.put();
    await bench.time.advance(10_000);
    expect(bench.last.request.usage).toBeNull();
    await bench.last.answer({ grant: grant(2, 10) });
    expect(parked.admitted).toBe(true);
  });

  test('an answer that comes after the governor gave up on it changes nothing', async () => {
    const bench = new Bench();
    await bench.startWith(grant(1, 1));
    await bench.time.advance(30_000);
    const givenUp = bench.last;
    const stopping = bench.governor.stop();
    await givenUp.answer({ grant: grant(2, 1_000) });
    await bench.last.answer({});
    await stopping;
    expect(bench.governor.status.grant?.windowNumber).toBe(1);
  });
});

describe('a console that was restarted', () => {
  test('is adopted with its new epoch, numbers begin anew, and no grant of its predecessor is run twice', async () => {
    const bench = new Bench();
    await bench.startWith(grant(7, 10));
    bench.put();
    await bench.time.advance(30_000);
    expect(bench.last.request.usage).toMatchObject({ epoch: 'e1', windowNumber: 7 });
    await bench.last.answer({ grant: grant(1, 20, { epoch: 'e2' }) });
    expect(bench.governor.status).toMatchObject({ mode: 'enforced', remainingCredits: 20 });
    expect(bench.events).toContainEqual({ type: 'epoch-changed', from: 'e1', to: 'e2' });
    await bench.time.advance(30_000);
    expect(bench.last.request.usage).toMatchObject({ epoch: 'e2', windowNumber: 1 });
    bench.governor.acceptGrant(grant(7, 1_000), enforced);
    expect(bench.governor.status).toMatchObject({ mode: 'closed', remainingCredits: 0 });
  });
});

describe('a late answer of the previous console', () => {
  test('does not shut its successor out', async () => {
    const bench = new Bench();
    await bench.startWith(grant(1, 1, { epoch: 'e2' }));
    await bench.time.advance(30_000);
    bench.governor.acceptGrant(grant(5, 1, { epoch: 'e1' }), enforced);
    await bench.last.answer({ grant: null });
    await bench.time.advance(30_000);
    await bench.last.answer({ grant: grant(2, 7, { epoch: 'e2' }) });
    expect(bench.governor.status).toMatchObject({ mode: 'enforced', remainingCredits: 7 });
  });
});

describe('a console that refuses the agent', () => {
  test.each([
    new ApiError({ code: 'wrong-credentials', status: 401, message: 'no such credential' }),
    new ApiError({ code: 'forbidden', status: 403, message: 'this agent was revoked' }),
    new ApiError({ code: 'protocol-too-old', status: 426, message: 'speak at least version 3' }),
  ])('by $code is not asked again, and everything that waits is told why', async (refusal) => {
    const bench = new Bench();
    await bench.startWith(grant(1, 0));
    const parked = bench.put();
    await bench.time.advance(30_000);
    await bench.last.fail(refusal);
    expect(parked.error).toBeInstanceOf(GovernorStoppedError);
    expect(parked.error).toMatchObject({ reason: 'refused', cause: refusal });
    expect(String(parked.error)).toContain(refusal.message);
    await expect(bench.governor.charge('GetObject', 0)).rejects.toBe(parked.error);
    expect(bench.events.at(-1)).toEqual({ type: 'fatal', error: parked.error });
    await bench.time.advance(3_600_000);
    expect(bench.sent).toHaveLength(2);
    await bench.governor.stop();
    expect(bench.sent).toHaveLength(2);
    expect(bench.time.timers).toBe(0);
  });
});

describe('stopping', () => {
  test('sends a last heartbeat without jobs that reports the window, and rejects what waits', async () => {
    const bench = new Bench();
    await bench.startWith(grant(1, 1));
    bench.put();
    const parked = bench.put();
    const stopping = bench.governor.stop();
    expect(bench.last.request).toMatchObject({ runningJobs: 0, usage: { windowNumber: 1, chargedOps: 1 } });
    await bench.last.answer({});
    await stopping;
    expect(parked.error).toMatchObject({ reason: 'stopped' });
    expect(bench.time.timers).toBe(0);
    await bench.governor.stop();
    expect(bench.sent).toHaveLength(2);
  });

  test('repeats a report that is still unanswered, and waits for a silent console 2 s at most', async () => {
    const bench = new Bench();
    await bench.startWith(grant(1, 1));
    await bench.time.advance(30_000);
    const unanswered = bench.last;
    let stopped = false;
    const stopping = bench.governor.stop().then(() => (stopped = true));
    expect(unanswered.signal.aborted).toBe(true);
    expect(bench.last.request).toMatchObject({ runningJobs: 0, usage: unanswered.request.usage! });
    await bench.time.advance(1_999);
    expect(stopped).toBe(false);
    await bench.time.advance(1);
    await stopping;
    expect(bench.time.timers).toBe(0);
  });

  test('before it was started says nothing to anybody', async () => {
    const bench = new Bench();
    await bench.governor.stop();
    expect(bench.sent).toHaveLength(0);
    bench.governor.start();
    bench.governor.acceptGrant(grant(1, 5), off);
    expect(bench.governor.startHoldoff({ reason: 'x', jobId: null })).toBe(false);
    expect(bench.sent).toHaveLength(0);
  });
});

import { NetworkError } from '@weir/client';
import { heartbeatRequest } from '@weir/protocol';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Bench, enforced, grant, off } from './scripted-console.ts';

const cause = { reason: '503 SlowDown from target', jobId: 'j1' };

describe('a holdoff', () => {
  test('lasts a random time of 30 to 300 seconds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), async (random) => {
        const bench = new Bench();
        bench.random = random;
        await bench.startWith(grant(1, 10));
        expect(bench.governor.startHoldoff(cause)).toBe(true);
        const remainingMs = bench.governor.holdoff?.remainingMs ?? 0;
        expect(remainingMs).toBe(Math.round(30_000 + random * 270_000));
        expect(bench.events).toContainEqual({ type: 'holdoff-started', durationMs: remainingMs, ...cause });
      }),
      { numRuns: 30 },
    );
  });

  test('tells the console at once that nothing runs, with the window so far and the time left', async () => {
    const bench = new Bench({ holdoffMinMs: 40_000, holdoffMaxMs: 40_000 });
    await bench.startWith(grant(1, 10));
    bench.put();
    await bench.time.advance(5_000);
    bench.governor.startHoldoff(cause);
    expect(heartbeatRequest.safeParse(bench.last.request).error).toBeUndefined();
    expect(bench.last.request).toMatchObject({
      runningJobs: 0,
      usage: { windowNumber: 1, windowMs: 5_000, chargedOps: 1 },
      holdoff: { remainingMs: 40_000, ...cause },
    });
    await bench.last.answer({ grant: null, nextHeartbeatSeconds: 30 });
    await bench.time.advance(30_000);
    expect(bench.last.request).toMatchObject({ runningJobs: 0, usage: null, holdoff: { remainingMs: 10_000 } });
  });

  test('holds every operation, also free ones and retries, and lets them go on in order at its end', async () => {
    const bench = new Bench({ holdoffMinMs: 50_000, holdoffMaxMs: 50_000 });
    await bench.startWith(grant(1, 1));
    bench.put();
    const order: string[] = [];
    const note = (name: string, parked: undefined | Promise<number>): void => {
      if (parked === undefined) order.push(name);
      else void parked.then(() => order.push(name));
    };
    note('parked before', bench.governor.charge('PutObject', 0));
    bench.governor.startHoldoff(cause);
    await bench.last.answer({ grant: null });
    note('get', bench.governor.charge('GetObject', 0));
    note('put', bench.governor.charge('PutObject', 0));
    note('retry', bench.governor.charge('PutObject', 2));
    expect(bench.governor.status).toMatchObject({ parkedOps: 4 });
    await bench.time.advance(30_000);
    await bench.last.answer({ grant: null });
    await bench.time.advance(19_999);
    expect(order).toEqual([]);
    await bench.time.advance(1);
    expect(order).toEqual(['get', 'retry']);
    expect(bench.last.request).toMatchObject({ runningJobs: 1, holdoff: null, usage: null });
    await bench.last.answer({ grant: grant(2, 10) });
    expect(order).toEqual(['get', 'retry', 'parked before', 'put']);
    expect(bench.governor.holdoff).toBeNull();
  });

  test('counts its whole time as parked time of what waited', async () => {
    const bench = new Bench({ holdoffMinMs: 50_000, holdoffMaxMs: 50_000 });
    await bench.startWith(grant(1, 0));
    bench.governor.startHoldoff(cause);
    await bench.time.advance(10_000);
    const put = bench.put();
    await bench.time.advance(40_000);
    await bench.last.answer({ grant: null });
    await bench.time.advance(2_000);
    bench.governor.acceptGrant(grant(2, 5), enforced);
    await bench.time.settle();
    expect(put).toMatchObject({ admitted: true, parkedMs: 42_000 });
  });

  test('that is under way is not prolonged by further 503s', async () => {
    const bench = new Bench({ holdoffMinMs: 50_000, holdoffMaxMs: 50_000 });
    await bench.startWith(grant(1, 10));
    bench.governor.startHoldoff(cause);
    await bench.time.advance(20_000);
    expect(bench.governor.startHoldoff({ reason: 'again', jobId: 'j2' })).toBe(false);
    expect(bench.governor.holdoff).toEqual({ remainingMs: 30_000, ...cause });
  });

  test('discards a grant that was on its way when it began', async () => {
    const bench = new Bench();
    await bench.startWith(grant(1, 0));
    const parked = bench.put();
    await bench.time.advance(30_000);
    bench.governor.startHoldoff(cause);
    expect(bench.sent).toHaveLength(2);
    await bench.last.answer({ grant: grant(2, 100) });
    expect(parked.admitted).toBe(false);
    expect(bench.sent).toHaveLength(3);
    expect(bench.last.request).toMatchObject({ runningJobs: 0, holdoff: { jobId: 'j1' } });
  });

  test('keeps a job waiting that a claim brings meanwhile, and tells the console again', async () => {
    const bench = new Bench();
    await bench.startWith(grant(1, 0));
    bench.governor.startHoldoff(cause);
    await bench.last.answer({ grant: null });
    bench.governor.acceptGrant(grant(2, 100), enforced);
    expect(bench.put().admitted).toBe(false);
    expect(bench.sent).toHaveLength(3);
    expect(bench.last.request).toMatchObject({ runningJobs: 0, holdoff: { jobId: 'j1' } });
  });

  test('also pauses an agent whose limiter is off, which needs no console to go on', async () => {
    const bench = new Bench({ holdoffMinMs: 50_000, holdoffMaxMs: 50_000 });
    await bench.startWith(null, off);
    bench.governor.startHoldoff(cause);
    const put = bench.put();
    await bench.last.fail(new NetworkError('unreachable', 'gone'));
    await bench.time.advance(49_999);
    expect(put.admitted).toBe(false);
    await bench.time.advance(1);
    expect(put.admitted).toBe(true);
  });

  test('is not cut short when the limiter is switched off meanwhile', async () => {
    const bench = new Bench({ holdoffMinMs: 50_000, holdoffMaxMs: 50_000 });
    await bench.startWith(grant(1, 0));
    const parked = bench.put();
    bench.governor.startHoldoff(cause);
    await bench.last.answer({ limiter: off });
    expect(parked.admitted).toBe(false);
    await bench.time.advance(50_000);
    expect(parked.admitted).toBe(true);
  });

  test('that ends while the console is lost leaves operations parked until it answers', async () => {
    const bench = new Bench({ holdoffMinMs: 30_000, holdoffMaxMs: 30_000 });
    await bench.startWith(grant(1, 5));
    bench.governor.startHoldoff(cause);
    const put = bench.put();
    for (let waitedMs = 0; waitedMs < 60_000; waitedMs += 10_000) {
      await bench.last.fail(new NetworkError('unreachable', 'gone'));
      await bench.time.advance(10_000);
    }
    expect(put.admitted).toBe(false);
    expect(bench.last.request).toMatchObject({ runningJobs: 1, holdoff: null, usage: { windowNumber: 1 } });
    await bench.last.answer({ grant: grant(2, 5) });
    expect(put.admitted).toBe(true);
  });

  test('an operation that waits for its end can be given up', async () => {
    const bench = new Bench();
    await bench.startWith(grant(1, 5));
    bench.governor.startHoldoff(cause);
    const controller = new AbortController();
    const put = bench.put(controller.signal);
    const reason = new Error('job cancelled');
    controller.abort(reason);
    await bench.time.settle();
    expect(put).toMatchObject({ admitted: false, error: reason });
    expect(bench.governor.status.parkedOps).toBe(0);
  });

  test('is ended by stopping: what waits is rejected and no timer stays', async () => {
    const bench = new Bench();
    await bench.startWith(grant(1, 5));
    bench.governor.startHoldoff(cause);
    await bench.last.answer({});
    const put = bench.put();
    const stopping = bench.governor.stop();
    await bench.last.answer({});
    await stopping;
    expect(put.error).toMatchObject({ reason: 'stopped' });
    expect(bench.time.timers).toBe(0);
  });
});

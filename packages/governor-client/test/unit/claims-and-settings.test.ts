import { describe, expect, test } from 'vitest';
import { Bench, enforced, grant, off } from './scripted-console.ts';

describe('a grant from a claim', () => {
  test('opens the window at once, and the next heartbeat is due one window later', async () => {
    const bench = new Bench();
    bench.runningJobs = 0;
    await bench.startWith(null);
    await bench.time.advance(20_000);
    bench.runningJobs = 1;
    const parked = bench.put();
    bench.governor.acceptGrant(grant(1, 5), enforced);
    await bench.time.settle();
    expect(parked.admitted).toBe(true);
    await bench.time.advance(29_999);
    expect(bench.sent).toHaveLength(1);
    await bench.time.advance(1);
    expect(bench.last.request).toMatchObject({ runningJobs: 1, usage: { windowNumber: 1, chargedOps: 1 } });
  });

  test('that pays for less than a window because it came early moves the heartbeat by a whole one', async () => {
    const bench = new Bench();
    bench.runningJobs = 0;
    await bench.startWith(null);
    bench.runningJobs = 1;
    bench.governor.acceptGrant(grant(1, 5, { windowSeconds: 7 }), enforced);
    await bench.time.advance(29_999);
    expect(bench.sent).toHaveLength(1);
    await bench.time.advance(1);
    expect(bench.sent).toHaveLength(2);
  });

  test('is never run under twice, also when its copy comes after the window has ended', async () => {
    const bench = new Bench();
    await bench.startWith(grant(1, 2));
    bench.put();
    bench.put();
    bench.governor.acceptGrant(grant(1, 2), enforced);
    const during = bench.put();
    expect(during.admitted).toBe(false);
    await bench.time.advance(30_000);
    bench.governor.acceptGrant(grant(1, 2), enforced);
    await bench.time.settle();
    expect(during.admitted).toBe(false);
    await bench.last.answer({ grant: grant(2, 2) });
    expect(during.admitted).toBe(true);
  });

  test('never replaces a window that runs: its charges are reported first', async () => {
    const bench = new Bench();
    await bench.startWith(grant(4, 2));
    bench.put();
    bench.governor.acceptGrant(grant(1, 1_000, { epoch: 'e2' }), enforced);
    expect(bench.governor.status.remainingCredits).toBe(1);
    await bench.time.advance(30_000);
    expect(bench.last.request.usage).toMatchObject({ epoch: 'e1', windowNumber: 4, chargedOps: 1 });
    await bench.last.answer({ grant: grant(1, 1_000, { epoch: 'e2' }) });
    expect(bench.governor.status.remainingCredits).toBe(1_000);
  });

  test('that crosses a heartbeat stays, and the heartbeat answer does not cut it short', async () => {
    const bench = new Bench();
    bench.runningJobs = 0;
    await bench.startWith(null);
    await bench.time.advance(30_000);
    bench.runningJobs = 1;
    bench.governor.acceptGrant(grant(1, 5), enforced);
    bench.put();
    await bench.last.answer({ grant: null });
    expect(bench.governor.status).toMatchObject({ mode: 'enforced', remainingCredits: 4 });
    expect(bench.sent).toHaveLength(2);
    await bench.time.advance(30_000);
    expect(bench.last.request.usage).toMatchObject({ windowNumber: 1, chargedOps: 1 });
  });

  test('when it is missing although the window is closed, a heartbeat asks for one at once', async () => {
    const bench = new Bench();
    bench.runningJobs = 0;
    await bench.startWith(null);
    bench.runningJobs = 1;
    bench.governor.acceptGrant(null, enforced);
    expect(bench.sent).toHaveLength(2);
    expect(bench.last.request.runningJobs).toBe(1);
    await bench.last.answer({ grant: grant(1, 5) });
    bench.governor.acceptGrant(null, enforced);
    expect(bench.sent).toHaveLength(2);
  });

  test('when a job came while the console was told that there was none, a heartbeat follows at once, once', async () => {
    const bench = new Bench();
    bench.runningJobs = 0;
    bench.governor.start();
    bench.runningJobs = 1;
    await bench.last.answer({ grant: null });
    expect(bench.sent).toHaveLength(2);
    await bench.last.answer({ grant: null });
    expect(bench.sent).toHaveLength(2);
  });
});

describe('settings', () => {
  test('types that are switched off cost nothing, the others do', async () => {
    const bench = new Bench();
    await bench.startWith(grant(1, 1), { ...enforced, chargedTypes: ['PUT'] });
    for (let page = 0; page < 10; page++) expect(bench.governor.charge('ListObjectsV2', 0)).toBeUndefined();
    expect(bench.governor.status.remainingCredits).toBe(1);
    expect(bench.governor.charge('PutObject', 0)).toBeUndefined();
    expect(bench.put().admitted).toBe(false);
  });

  test('free operations and retries are never held up by a closed window', () => {
    const bench = new Bench();
    bench.governor.start();
    expect(bench.governor.charge('GetObject', 0)).toBeUndefined();
    expect(bench.governor.charge('UploadPart', 0)).toBeUndefined();
    expect(bench.governor.charge('PutObject', 1)).toBeUndefined();
    expect(bench.put().admitted).toBe(false);
  });

  test('switching the limiter off admits everything and charges nothing', async () => {
    const bench = new Bench();
    await bench.startWith(grant(1, 1));
    bench.put();
    const parked = bench.put();
    await bench.time.advance(30_000);
    await bench.last.answer({ limiter: off });
    expect(parked.admitted).toBe(true);
    for (let operation = 0; operation < 1_000; operation++) expect(bench.put().admitted).toBe(true);
    await bench.time.advance(30_000);
    expect(bench.last.request.usage).toBeNull();
    expect(bench.put().admitted).toBe(true);
  });

  test('switching it on again holds operations until there is a grant', async () => {
    const bench = new Bench();
    bench.runningJobs = 0;
    await bench.startWith(null, off);
    expect(bench.put().admitted).toBe(true);
    await bench.time.advance(30_000);
    await bench.last.answer({ limiter: { ...enforced, settingsVersion: 3 }, grant: null });
    const parked = bench.put();
    expect(parked.admitted).toBe(false);
    bench.runningJobs = 1;
    bench.governor.acceptGrant(grant(1, 1), { ...enforced, settingsVersion: 3 });
    await bench.time.settle();
    expect(parked.admitted).toBe(true);
    expect(bench.put().admitted).toBe(false);
  });

  test('an old claim answer does not bring old settings back', async () => {
    const bench = new Bench();
    await bench.startWith(null, { ...enforced, settingsVersion: 5 });
    bench.governor.acceptGrant(null, { ...off, settingsVersion: 4 });
    expect(bench.governor.status.mode).toBe('closed');
    bench.governor.acceptGrant(null, { ...off, settingsVersion: 5 });
    expect(bench.governor.status.mode).toBe('open');
  });

  test('a window that a claim ends by switching the limiter off is still reported', async () => {
    const bench = new Bench();
    await bench.startWith(grant(1, 9));
    bench.put();
    bench.governor.acceptGrant(null, off);
    expect(bench.governor.status.mode).toBe('open');
    await bench.time.advance(30_000);
    expect(bench.last.request.usage).toMatchObject({ windowNumber: 1, chargedOps: 1 });
  });

  test('an operation given up by its signal leaves the queue with the reason of the signal', async () => {
    const bench = new Bench();
    await bench.startWith(grant(1, 0));
    const controller = new AbortController();
    const parked = bench.put(controller.signal);
    const next = bench.put();
    const reason = new Error('shard lost');
    controller.abort(reason);
    await bench.time.advance(30_000);
    await bench.last.answer({ grant: grant(2, 1) });
    expect(parked).toMatchObject({ admitted: false, error: reason });
    expect(next.admitted).toBe(true);
  });
});

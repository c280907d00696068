import { describe, expect, test } from 'vitest';
import { Bench, enforced, grant } from './scripted-console.ts';

/** A program that has been idle since its start, whose console has heard so. */
async function idle(): Promise<Bench> {
  const bench = new Bench();
  bench.runningJobs = 0;
  await bench.startWith(null);
  await bench.time.advance(5_000);
  return bench;
}

describe('work that begins and ends', () => {
  test('an idle program that begins to work asks for credits at once, and its operations go on with them', async () => {
    const bench = await idle();
    bench.runningJobs = 1;
    const put = bench.put();
    bench.governor.workChanged();
    expect(bench.sent).toHaveLength(2);
    expect(bench.last.request).toMatchObject({ runningJobs: 1, usage: null });
    await bench.last.answer({ grant: grant(1, 10), limiter: enforced });
    expect(put).toMatchObject({ admitted: true, parkedMs: 0 });
  });

  test('a program without work for a second reports its window and gives its share back', async () => {
    const bench = await idle();
    bench.runningJobs = 1;
    bench.governor.workChanged();
    await bench.last.answer({ grant: grant(1, 10), limiter: enforced });
    bench.put();
    bench.runningJobs = 0;
    bench.governor.workChanged();
    await bench.time.advance(999);
    expect(bench.sent).toHaveLength(2);
    await bench.time.advance(1);
    expect(bench.last.request).toMatchObject({ runningJobs: 0, usage: { windowNumber: 1, chargedOps: 1 } });
    await bench.last.answer({ grant: null });
    expect(bench.governor.status).toMatchObject({ mode: 'closed', loop: 'waiting' });
  });

  test('work that comes and goes a request at a time costs at most one heartbeat a second', async () => {
    const bench = await idle();
    for (let request = 0; request < 100; request += 1) {
      for (const jobs of [1, 0]) {
        bench.runningJobs = jobs;
        bench.governor.workChanged();
        bench.governor.workChanged();
        await bench.time.advance(request < 50 ? 20 : 700);
        if (bench.sent.length > 1) {
          const working = bench.last.request.runningJobs > 0;
          await bench.last.answer({
            grant: working ? grant(bench.sent.length, 10) : null,
            nextHeartbeatSeconds: 3_600,
          });
        }
      }
    }
    // 2 s of requests of 20 ms and 70 s of those of 700 ms: the first brings credits, and no pause is long enough to tell.
    expect(bench.sent).toHaveLength(2);
    expect(bench.last.request.runningJobs).toBe(1);
  });

  test('what does not change is not told, and a stopped governor tells nothing', async () => {
    const bench = await idle();
    bench.governor.workChanged();
    await bench.time.advance(2_000);
    expect(bench.sent).toHaveLength(1);
    const stopping = bench.governor.stop();
    await bench.last.answer({});
    await stopping;
    bench.runningJobs = 1;
    bench.governor.workChanged();
    await bench.time.advance(2_000);
    expect(bench.sent).toHaveLength(2);
    expect(bench.time.timers).toBe(0);
  });
});

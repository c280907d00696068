import { ApiError, NetworkError } from '@weir/client';
import type { Assignment, ClaimResponse } from '@weir/protocol';
import { describe, expect, test } from 'vitest';
import { SimulatedTime } from '../../../../packages/governor-client/test/unit/simulated-time.ts';
import { ClaimLoop } from '../../src/claim-loop.ts';
import { anAssignment, limiter } from './assignments.ts';

interface Asked {
  waitSeconds: number;
  answer: (assignment: Assignment | null) => Promise<void>;
  fail: (error: unknown) => Promise<void>;
}

/** A claim loop with four slots whose console is the test. */
class Bench {
  readonly time = new SimulatedTime();
  readonly asked: Asked[] = [];
  readonly accepted: ClaimResponse[] = [];
  readonly retries: number[] = [];
  slots = 4;
  holdoff = false;
  ended: unknown = 'running';
  readonly loop: ClaimLoop;

  constructor() {
    this.loop = new ClaimLoop({
      claim: (waitSeconds, signal) => this.#claim(waitSeconds, signal),
      mayAccept: () => this.accepted.length < this.slots && !this.holdoff,
      accept: (response) => void this.accepted.push(response),
      onTrouble: (_, retryInMs) => void this.retries.push(retryInMs),
      timing: { now: this.time.now, startTimer: this.time.startTimer, random: () => 0.5 },
    });
    this.loop.run().then(
      () => (this.ended = 'stopped'),
      (error: unknown) => (this.ended = error),
    );
  }

  get last(): Asked {
    const last = this.asked.at(-1);
    if (last === undefined) throw new Error('nothing was asked');
    return last;
  }

  #claim(waitSeconds: number, signal: AbortSignal): Promise<ClaimResponse> {
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('poll ended')));
      this.asked.push({
        waitSeconds,
        answer: (assignment) => {
          resolve({ assignment, grant: null, limiter });
          return this.time.settle();
        },
        fail: (error) => {
          reject(error instanceof Error ? error : new Error(String(error)));
          return this.time.settle();
        },
      });
    });
  }
}

describe('claiming work', () => {
  test('goes on, one claim after the other, until every slot is taken, and again when one is free', async () => {
    const bench = new Bench();
    for (let slot = 0; slot < 4; slot++) {
      expect(bench.asked).toHaveLength(slot + 1);
      await bench.last.answer(anAssignment());
    }
    await bench.time.advance(60_000);
    expect(bench.asked).toHaveLength(4);
    bench.slots = 5;
    bench.loop.wake();
    await bench.time.settle();
    expect(bench.asked).toHaveLength(5);
    expect(bench.last.waitSeconds).toBe(25);
  });

  test('asks again at once after a long poll that brought nothing', async () => {
    const bench = new Bench();
    await bench.time.advance(25_000);
    await bench.last.answer(null);
    expect(bench.asked).toHaveLength(2);
  });

  test('does not hammer a console that answers "nothing" at once', async () => {
    const bench = new Bench();
    await bench.last.answer(null);
    expect(bench.asked).toHaveLength(1);
    await bench.time.advance(1_500);
    expect(bench.asked).toHaveLength(2);
  });

  test('is interrupted by a holdoff and goes on after it', async () => {
    const bench = new Bench();
    bench.holdoff = true;
    bench.loop.interrupt();
    await bench.time.advance(100_000);
    expect(bench.asked).toHaveLength(1);
    bench.holdoff = false;
    bench.loop.wake();
    await bench.time.settle();
    expect(bench.asked).toHaveLength(2);
    expect(bench.retries).toEqual([]);
  });

  test('retries a console that does not answer after 1–10 s with growing jitter', async () => {
    const bench = new Bench();
    for (const delayMs of [1_500, 2_500, 4_500, 5_500, 5_500]) {
      const asked = bench.asked.length;
      await bench.last.fail(new NetworkError('unreachable', 'gone'));
      expect(bench.retries.at(-1)).toBe(delayMs);
      await bench.time.advance(delayMs - 1);
      expect(bench.asked).toHaveLength(asked);
      await bench.time.advance(1);
      expect(bench.asked).toHaveLength(asked + 1);
    }
  });

  test('ends with the reason when the console refuses the agent', async () => {
    const bench = new Bench();
    const refusal = new ApiError({ code: 'unauthenticated', status: 401, message: 'revoked' });
    await bench.last.fail(refusal);
    expect(bench.ended).toBe(refusal);
  });

  test.each(['asking', 'waiting for a slot', 'retrying', 'pausing'])(
    'stops at once while %s, and leaves no timer',
    async (state) => {
      const bench = new Bench();
      if (state === 'waiting for a slot') {
        bench.slots = 0;
        bench.loop.interrupt();
      } else if (state === 'retrying') await bench.last.fail(new NetworkError('timeout', 'silence'));
      else if (state === 'pausing') await bench.last.answer(null);
      await bench.time.settle();
      bench.loop.stop();
      await bench.time.settle();
      expect(bench.ended).toBe('stopped');
      expect(bench.time.timers).toBe(0);
    },
  );
});

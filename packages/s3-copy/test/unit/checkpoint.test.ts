import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CheckpointTracker } from '../../src/checkpoint.ts';
import type { CopyFailure, Ticket } from '../../src/checkpoint.ts';
import { emptyCounters } from '../../src/counters.ts';
import { InFlightLimit } from '../../src/in-flight-limit.ts';

const copied = (bytes: number) => ({ ...emptyCounters(), objectsCopied: 1, bytesCopied: bytes });
const failed = () => ({ ...emptyCounters(), objectsFailed: 1 });
const failureOf = (key: string): CopyFailure => ({ key, code: 'X', message: 'm', requestId: null });

describe('the checkpoint', () => {
  test('never passes an object that is not done, whatever the order in which objects finish', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ at: fc.double({ noNaN: true }), fails: fc.boolean() }), { maxLength: 60 }),
        (plan) => {
          const reported: string[] = [];
          const tracker = new CheckpointTracker('start', { onFailure: (failure) => void reported.push(failure.key) });
          const tickets = plan.map((_, index) => tracker.begin(`k${index}`));
          const order = plan.map((_, index) => index).sort((a, b) => plan[a]!.at - plan[b]!.at || a - b);
          const done = new Set<number>();
          for (const index of order) {
            const { fails } = plan[index]!;
            if (fails) tracker.finish(tickets[index]!, failed(), { failure: failureOf(`k${index}`) });
            else tracker.finish(tickets[index]!, copied(index));
            done.add(index);
            let reach = 0;
            while (done.has(reach)) reach++;
            expect(tracker.checkpoint).toBe(reach === 0 ? 'start' : `k${reach - 1}`);
            expect(tracker.outstanding).toBe(plan.length - reach);
            const passed = plan.slice(0, reach);
            expect(tracker.atCheckpoint()).toEqual({
              ...emptyCounters(),
              objectsListed: reach,
              objectsCopied: passed.filter((each) => !each.fails).length,
              objectsFailed: passed.filter((each) => each.fails).length,
              bytesCopied: passed.reduce((sum, each, at) => sum + (each.fails ? 0 : at), 0),
            });
            expect(reported).toEqual(passed.flatMap((each, at) => (each.fails ? [`k${at}`] : [])));
            expect(tracker.live().objectsCopied + tracker.live().objectsFailed).toBe(done.size);
          }
          expect(tracker.live()).toEqual(tracker.atCheckpoint());
        },
      ),
    );
  });

  test('does not stand on a key that cannot be written down', () => {
    const tracker = new CheckpointTracker(null, {});
    const tickets = [tracker.begin('a'), tracker.begin('\uFFFD', false), tracker.begin('c')];
    tracker.finish(tickets[0]!, copied(1));
    tracker.finish(tickets[1]!, failed(), { failure: failureOf('\uFFFD') });
    expect(tracker.checkpoint).toBe('a');
    tracker.finish(tickets[2]!, copied(1));
    expect(tracker.checkpoint).toBe('c');
  });

  test('counts the cost of listing with the objects that follow it', () => {
    const tracker = new CheckpointTracker(null, {});
    tracker.addOverhead({ parkedMs: 5, retries: 1 });
    expect(tracker.live()).toMatchObject({ parkedMs: 5, retries: 1 });
    expect(tracker.atCheckpoint()).toMatchObject({ parkedMs: 0, retries: 0 });
    tracker.finish(tracker.begin('a'), { ...copied(1), parkedMs: 2, retries: 0 });
    expect(tracker.atCheckpoint()).toMatchObject({ parkedMs: 7, retries: 1 });
  });

  test('refuses to count an object twice', () => {
    const tracker = new CheckpointTracker(null, {});
    const ticket: Ticket = tracker.begin('a');
    tracker.finish(ticket, copied(1));
    expect(() => tracker.finish(ticket, copied(1))).toThrow('finished twice');
  });

  test('forgets what lies behind it: memory follows what is outstanding', () => {
    const tracker = new CheckpointTracker(null, {});
    for (let index = 0; index < 100_000; index++) tracker.finish(tracker.begin(`k${index}`), copied(1));
    expect(tracker.outstanding).toBe(0);
    expect(tracker.atCheckpoint().objectsCopied).toBe(100_000);
  });
});

describe('the bound on what is under way', () => {
  test('holds for objects and for bytes, and serves everybody, for any sizes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(100), { maxLength: 60 }),
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 120 }),
        fc.infiniteStream(fc.nat()),
        async (sizes, maxObjects, maxBytes, choices) => {
          const limit = new InFlightLimit({ value: maxObjects }, maxBytes);
          const running: number[] = [];
          let served = 0;
          const finishOne = (): void => {
            const [bytes] = running.splice(choices.next().value! % running.length, 1);
            limit.give(bytes!);
          };
          for (const bytes of sizes) {
            const room = limit.take(bytes);
            if (room !== undefined) {
              const state = { entered: false };
              void room.then(() => {
                state.entered = true;
              });
              while (!state.entered) {
                finishOne();
                // Lets the promise of the room settle.
                await Promise.resolve();
              }
            }
            running.push(bytes);
            served++;
            const total = running.reduce((sum, each) => sum + each, 0);
            expect(running.length).toBeLessThanOrEqual(maxObjects);
            expect(total <= maxBytes || running.length === 1).toBe(true);
            expect(limit.objects).toBe(running.length);
          }
          const idle = limit.idle();
          while (running.length > 0) finishOne();
          await idle;
          expect(served).toBe(sizes.length);
        },
      ),
    );
  });
});

import { expect, test } from 'vitest';
import { UnwrittenCommands } from '../../src/clients/unwritten.ts';

/** A client's queue: a command waits there until it is written or taken back, and for its answer after that. */
class Queue {
  readonly signals: AbortSignal[] = [];
  readonly #write: (() => void)[] = [];

  readonly add = async (signal: AbortSignal): Promise<string> => {
    this.signals.push(signal);
    return new Promise((resolve, reject) => {
      const onAbort = (): void => reject(new Error('The command was aborted'));
      signal.addEventListener('abort', onAbort, { once: true });
      this.#write.push(() => {
        signal.removeEventListener('abort', onAbort);
        resolve('OK');
      });
    });
  };

  answerAll(): void {
    for (const write of this.#write.splice(0)) write();
  }
}

const failure = { code: 'store-unavailable', message: expect.stringContaining('the connection broke') };

test('what waits when the connection ends is taken back, all of it, and what comes later is not', async () => {
  const queue = new Queue();
  const unwritten = new UnwrittenCommands();
  const waiting = Array.from({ length: 1_000 }, () => unwritten.send(queue.add));
  unwritten.takeBack();
  const outcomes = await Promise.allSettled(waiting);
  for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 'rejected', reason: failure });
  const later = unwritten.send(queue.add);
  queue.answerAll();
  expect(await later).toBe('OK');
});

test('no signal is shared by more than 64 commands, and one whose commands all have an answer is forgotten', async () => {
  const queue = new Queue();
  const unwritten = new UnwrittenCommands();
  for (let round = 0; round < 10; round += 1) {
    const sent = Array.from({ length: 100 }, () => unwritten.send(queue.add));
    queue.answerAll();
    expect(await Promise.all(sent)).toHaveLength(100);
  }
  const uses = new Map<AbortSignal, number>();
  for (const signal of queue.signals) uses.set(signal, (uses.get(signal) ?? 0) + 1);
  expect(Math.max(...uses.values())).toBe(64);
  unwritten.takeBack();
  // The last one only: it may get further commands.
  expect([...uses.keys()].filter((signal) => signal.aborted)).toHaveLength(1);
});

test('an error of the server stays what it is, though the connection ends in the same moment', async () => {
  const unwritten = new UnwrittenCommands();
  const sent = unwritten.send(async () => {
    unwritten.takeBack();
    throw new Error('WRONGTYPE Operation against a key holding the wrong kind of value');
  });
  await expect(sent).rejects.toThrow('WRONGTYPE');
});

import { expect, test } from 'vitest';
import { Recall } from '../../src/clients/recall.ts';

/** Commands that a client has in its queue, each with a listener, and those of them that were taken back. */
function queueOf(recall: Recall, count: number): { signal: AbortSignal; write: (n: number) => void; gone: number[] } {
  const { signal } = recall;
  const gone: number[] = [];
  const listeners = Array.from({ length: count }, (_, n) => () => void gone.push(n));
  for (const listener of listeners) signal.addEventListener('abort', listener, { once: true });
  return {
    signal,
    gone,
    write: (n) => {
      const listener = listeners[n];
      if (listener !== undefined) signal.removeEventListener('abort', listener);
    },
  };
}

test('what waits when the connection ends is taken back, once, and what was written is not', () => {
  const recall = new Recall();
  const queue = queueOf(recall, 5);
  queue.write(0);
  queue.write(3);
  recall.takeBack();
  recall.takeBack();
  expect(queue.gone).toEqual([1, 2, 4]);
});

test('what comes after that has a signal of its own', () => {
  const recall = new Recall();
  const before = queueOf(recall, 1);
  recall.takeBack();
  const after = queueOf(recall, 1);
  expect([before.signal.aborted, after.signal.aborted]).toEqual([true, false]);
  expect([before.gone, after.gone]).toEqual([[0], []]);
});

test('the signal is one that every API takes', () => {
  const recall = new Recall();
  const { signal } = recall;
  const any = AbortSignal.any([signal]);
  recall.takeBack();
  expect(signal).toBeInstanceOf(AbortSignal);
  expect(any.aborted).toBe(true);
});

import { expect, test } from 'vitest';
import { SharedBatch } from '../../src/fleet/shared-batch.ts';

/** A server that answers each number with its double, when it is told to. */
class Doubler {
  readonly calls: (readonly number[])[] = [];
  readonly #answers: (() => void)[] = [];

  readonly call = async (items: readonly number[]): Promise<readonly number[]> => {
    this.calls.push(items);
    await new Promise<void>((resolve) => this.#answers.push(resolve));
    if (items.includes(13)) throw new Error('thirteen');
    return items.map((item) => item * 2);
  };

  async answer(): Promise<void> {
    this.#answers.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('what is asked while a call is under way goes with the next, and everybody gets the answer to what they asked', async () => {
  const server = new Doubler();
  const batch = new SharedBatch(server.call, 10);
  const first = batch.ask(1);
  const others = [batch.ask(2), batch.ask(3), batch.ask(4)];
  expect(server.calls).toEqual([[1]]);
  await server.answer();
  expect(await first).toBe(2);
  expect(server.calls).toEqual([[1], [2, 3, 4]]);
  await server.answer();
  expect(await Promise.all(others)).toEqual([4, 6, 8]);
  const later = batch.ask(5);
  expect(server.calls).toEqual([[1], [2, 3, 4], [5]]);
  await server.answer();
  expect(await later).toBe(10);
});

test('a call that fails fails for all who are in it, and for nobody else', async () => {
  const server = new Doubler();
  const batch = new SharedBatch(server.call, 10);
  const first = batch.ask(1);
  const failing = Promise.allSettled([batch.ask(13), batch.ask(2)]);
  await server.answer();
  expect(await first).toBe(2);
  const later = batch.ask(3);
  await server.answer();
  expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await server.answer();
  expect(await later).toBe(6);
});

test('no call gets more than it may, and nobody is overtaken', async () => {
  const server = new Doubler();
  const batch = new SharedBatch(server.call, 2);
  const answers = Promise.all([1, 2, 3, 4, 5, 6].map((item) => batch.ask(item)));
  for (let call = 0; call < 4; call += 1) await server.answer();
  expect(await answers).toEqual([2, 4, 6, 8, 10, 12]);
  expect(server.calls).toEqual([[1], [2, 3], [4, 5], [6]]);
});

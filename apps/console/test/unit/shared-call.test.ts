import { expect, test } from 'vitest';
import { SharedCall } from '../../src/fleet/shared-call.ts';

/** Calls that wait until the test answers them. */
function calls(): { shared: SharedCall<number>; pending: { answer: (n: number) => void; fail: () => void }[] } {
  const pending: { answer: (n: number) => void; fail: () => void }[] = [];
  const shared = new SharedCall<number>(
    () =>
      new Promise((resolve, reject) => {
        pending.push({ answer: resolve, fail: () => reject(new Error('away')) });
      }),
  );
  return { shared, pending };
}

test('who asks while a call is under way gets the answer of one that begins later, and all of them the same', async () => {
  const { shared, pending } = calls();
  const first = shared.ask();
  const later = [shared.ask(), shared.ask(), shared.ask()];
  expect(pending).toHaveLength(1);
  pending[0]!.answer(1);
  expect(await first).toBe(1);
  await Promise.resolve();
  expect(pending).toHaveLength(2);
  const latest = shared.ask();
  pending[1]!.answer(2);
  expect(await Promise.all(later)).toEqual([2, 2, 2]);
  await Promise.resolve();
  pending[2]!.answer(3);
  expect(await latest).toBe(3);
});

test('a call that fails, fails for those who waited for it and for nobody else', async () => {
  const { shared, pending } = calls();
  const first = shared.ask();
  const second = shared.ask();
  pending[0]!.fail();
  await expect(first).rejects.toThrow('away');
  await Promise.resolve();
  pending[1]!.answer(2);
  expect(await second).toBe(2);
  const third = shared.ask();
  expect(pending).toHaveLength(3);
  pending[2]!.answer(3);
  expect(await third).toBe(3);
});

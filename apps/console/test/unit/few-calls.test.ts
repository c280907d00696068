import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { FewCalls } from '../../src/security/few-calls.ts';
import { ownLimiters } from '../../src/security/own-limiters.ts';
import { FakeClock } from '../support/fake-clock.ts';

test('the engine hears of every call of a minute in which they are not few, and of no other', () => {
  const call = fc.record({ who: fc.constantFrom('a', 'b'), afterMs: fc.constantFrom(0, 0, 0, 1_000, 30_000) });
  fc.assert(
    fc.property(fc.nat(4), fc.array(call, { maxLength: 60 }), (few, history) => {
      let nowMs = 0;
      const calls = new FewCalls(few, () => nowMs);
      const made = new Map<string, number>();
      const told = new Map<string, number>();
      for (const { who, afterMs } of history) {
        nowMs += afterMs;
        const counter = `${who} ${Math.floor(nowMs / 60_000)}`;
        made.set(counter, (made.get(counter) ?? 0) + 1);
        told.set(counter, (told.get(counter) ?? 0) + calls.add(who));
        const all = made.get(counter) ?? 0;
        expect(told.get(counter)).toBe(all > few ? all : 0);
      }
    }),
  );
});

test('calls of agents are seen one by one, and by name once they are many', async () => {
  const seen: { subject: string | null; used: number }[] = [];
  const clock = new FakeClock();
  const { calls, logins } = ownLimiters(clock, (_quota, subject, { used }) => seen.push({ subject, used }));
  for (let n = 0; n < 62; n += 1) calls.admitAgent('agt_1');
  expect(seen).toHaveLength(62);
  expect(seen.slice(59)).toEqual([
    { subject: null, used: 0 },
    { subject: 'agt_1', used: 61 },
    { subject: 'agt_1', used: 62 },
  ]);
  await logins.close();
});

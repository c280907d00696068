import { assert, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { slotOf } from '../../src/slots.ts';

test('slots are those of the cluster specification', () => {
  // What CLUSTER KEYSLOT of Redis 7 answers.
  const known: Readonly<Record<string, number>> = {
    '123456789': 12_739,
    foo: 12_182,
    '{user1000}.following': 3_443,
    '{user1000}.followers': 3_443,
    'foo{}{bar}': 8_363,
    'foo{{bar}}zap': 4_015,
    'foo{bar}{zap}': 5_061,
    '': 0,
  };
  for (const [key, slot] of Object.entries(known)) expect([key, slotOf(key)]).toEqual([key, slot]);
});

test('keys with one hash tag share a slot, whatever surrounds it', () => {
  const text = string({ unit: 'grapheme' });
  const tag = text.filter((part) => part !== '' && !part.includes('}'));
  const before = text.filter((part) => !part.includes('{'));
  assert(
    property(tag, before, text, (inner, head, tail) => {
      const slot = slotOf(`${head}{${inner}}${tail}`);
      expect(slot).toBe(slotOf(`{${inner}}`));
      expect(slot).toBeGreaterThanOrEqual(0);
      expect(slot).toBeLessThan(16_384);
    }),
  );
});

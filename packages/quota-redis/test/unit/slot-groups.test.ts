import { array, assert, asyncProperty, boolean, constantFrom, scheduler } from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_KEYS_PER_SCRIPT, perSlot, shareSlot } from '../../src/mechanisms/slot-groups.ts';
import { slotOf } from '../../src/slots.ts';
import { recordingCommands } from '../support/recording-commands.ts';

const keys = array(constantFrom('a', 'b', 'c', '{a}x', '{a}y', 'd', 'e'), { maxLength: 700 });

test('results come back in the order of the items, whatever the slots and the order of completion', async () => {
  await assert(
    asyncProperty(keys, boolean(), scheduler(), async (items, isCluster, schedule) => {
      const commands = recordingCommands(() => null, { isCluster });
      const chunks: (readonly string[])[] = [];
      const work = schedule.scheduleFunction(async (chunk: readonly { key: string; index: number }[]) => {
        chunks.push(chunk.map(({ key }) => key));
        return chunk.map(({ key, index }) => `${key}${index}`);
      });
      const indexed = items.map((key, index) => ({ key, index }));
      const done = await schedule.waitFor(perSlot(commands, indexed, ({ key }) => key, work));
      expect(done).toEqual(items.map((key, index) => `${key}${index}`));
      expect(chunks.filter((chunk) => chunk.length > MAX_KEYS_PER_SCRIPT)).toEqual([]);
      expect(chunks.filter((chunk) => isCluster && new Set(chunk.map(slotOf)).size > 1)).toEqual([]);
      const fewest = Math.ceil(items.length / MAX_KEYS_PER_SCRIPT);
      expect(isCluster ? fewest : chunks.length).toBe(fewest);
    }),
    { numRuns: 50 },
  );
});

async function failingForA(chunk: readonly string[]): Promise<readonly string[]> {
  if (chunk[0] === 'a') throw new Error('slot a is down');
  return chunk;
}

test('a slot that fails gives its error to its own items; when all fail the call fails', async () => {
  const commands = recordingCommands(() => null, { isCluster: true });
  expect(await perSlot(commands, ['b', 'a', 'c', 'a'], (key) => key, failingForA)).toEqual([
    'b',
    new Error('slot a is down'),
    'c',
    new Error('slot a is down'),
  ]);
  await expect(perSlot(commands, ['a', 'a'], (key) => key, failingForA)).rejects.toThrow('slot a is down');
  expect(await perSlot(commands, [], (key: string) => key, failingForA)).toEqual([]);
});

test('keys share a slot on one server always, in a cluster by hash tag, and the prefix of the client counts', () => {
  const single = recordingCommands(() => null);
  const cluster = recordingCommands(() => null, { isCluster: true });
  const prefixed = recordingCommands(() => null, { isCluster: true, keyPrefix: '{app}' });
  expect(shareSlot(single, ['a', 'b'])).toBe(true);
  expect(shareSlot(cluster, ['a', 'b'])).toBe(false);
  expect(shareSlot(cluster, ['{s}a', '{s}b'])).toBe(true);
  expect(shareSlot(prefixed, ['a', 'b'])).toBe(true);
});

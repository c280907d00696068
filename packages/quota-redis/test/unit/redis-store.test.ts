import { deadlineAt } from '@weir/quota';
import type { Draw } from '@weir/quota';
import { expect, test } from 'vitest';
import { RedisStore } from '../../src/index.ts';
import { scripts } from '../../src/scripts/script.ts';
import { recordingCommands } from '../support/recording-commands.ts';

const deadline = deadlineAt(2_000_000, 1_000_000);

function draw(key: string, changes: Partial<Draw> = {}): Draw {
  return { key, amount: 1, unit: 1, limit: 1_000, deadline, ...changes };
}

const granted = (args: readonly string[]): unknown =>
  args[0] === 'INCRBY' ? 501 : Array.from({ length: Number(args[2]) }, () => [1, 501, 0]).flat();

/** The name of the first command that a batch becomes. */
async function first(fastPath: boolean, draws: readonly Draw[]): Promise<string | undefined> {
  const commands = recordingCommands(granted);
  await new RedisStore({ client: commands, fastPath }).take(draws);
  return commands.sent[0]?.[0];
}

test('a batch is one command that carries every deadline, what draws share once', async () => {
  const commands = recordingCommands(granted);
  const draws = [
    draw('a'),
    draw('b', { amount: 5, seen: 7 }),
    draw('c', { limit: 9 }),
    draw('d', { unit: 2, amount: 2 }),
    draw('e', { deadline: deadlineAt(3_000_000, 1_000_000) }),
    draw('f', { seen: 0 }),
  ];
  await new RedisStore({ client: commands }).take(draws);
  const terms = [1, 1_000, 2_000_000, 1, 9, 2_000_000, 2, 1_000, 2_000_000, 1, 1_000, 3_000_000];
  const numbers = [1, 1, -1, 1, 5, 7, 2, 1, -1, 3, 2, -1, 4, 1, -1, 1, 1, 0];
  expect(commands.sent).toEqual([
    ['EVALSHA', scripts.take.sha, '6', 'a', 'b', 'c', 'd', 'e', 'f', JSON.stringify(terms), JSON.stringify(numbers)],
  ]);
});

test('draws that are all alike, from counters that were all seen, travel as their keys and one set of terms', async () => {
  const commands = recordingCommands(() => [501, 8, 9]);
  const draws = [draw('a', { seen: 500 }), draw('b', { seen: 7 }), draw('c', { seen: 8 })];
  expect(await new RedisStore({ client: commands }).take(draws)).toEqual([
    { granted: 1, total: 501 },
    { granted: 1, total: 8 },
    { granted: 1, total: 9 },
  ]);
  expect(commands.sent).toEqual([
    ['EVALSHA', scripts['take-alike'].sha, '3', 'a', 'b', 'c', '1', '1', '1000', '2000000'],
  ]);
  for (const other of [{}, { seen: 1_000 }, { seen: 7, unit: 2, amount: 2 }, { seen: 7, limit: 999 }]) {
    const mixed = recordingCommands(granted);
    await new RedisStore({ client: mixed }).take([draw('a', { seen: 500 }), draw('b', other)]);
    expect(mixed.sent[0]?.[1]).toBe(scripts.take.sha);
  }
});

test('draws on the same terms travel so too; what differs in amount is named', async () => {
  const commands = recordingCommands(() => [501, 10, 12, 13]);
  const draws = [
    draw('a', { seen: 500 }),
    draw('b', { seen: 7, amount: 3 }),
    draw('c', { seen: 11 }),
    draw('d', { seen: 8, amount: 5 }),
  ];
  const drawn = await new RedisStore({ client: commands }).take(draws);
  expect(drawn.map((each) => (each instanceof Error ? each : each.granted))).toEqual([1, 3, 1, 5]);
  expect(commands.sent).toEqual([
    ['EVALSHA', scripts['take-alike'].sha, '4', 'a', 'b', 'c', 'd', '1', '1', '1000', '2000000', '2', '3', '4', '5'],
  ]);
});

test('a counter that stands lower than it was seen is dated, whoever made it again', async () => {
  const commands = recordingCommands((args) => (args[1] === scripts.date.sha ? 1 : [4, 8]));
  await new RedisStore({ client: commands }).take([draw('a', { seen: 500 }), draw('b', { seen: 7 })]);
  expect(commands.sent[1]).toEqual(['EVALSHA', scripts.date.sha, '1', 'a', '2000000']);
});

test('a short answer of a batch says that every draw was granted whole', async () => {
  const whole = recordingCommands(() => [501, '9007199254740991']);
  expect(await new RedisStore({ client: whole }).take([draw('a', { amount: 5 }), draw('b', { amount: 2 })])).toEqual([
    { granted: 5, total: 501 },
    { granted: 2, total: Number.MAX_SAFE_INTEGER },
  ]);
});

test('a script that the server forgot is sent once as text', async () => {
  const commands = recordingCommands((args) =>
    args[0] === 'EVALSHA' ? new Error('NOSCRIPT No matching script.') : [1, 1, 0],
  );
  expect(await new RedisStore({ client: commands }).take([draw('a')])).toEqual([{ granted: 1, total: 1 }]);
  expect(commands.sent.map(([name]) => name)).toEqual(['EVALSHA', 'EVAL']);
  const broken = recordingCommands(() => new Error('NOSCRIPT No matching script.'));
  await expect(new RedisStore({ client: broken }).take([draw('a')])).rejects.toMatchObject({
    code: 'store-unavailable',
  });
  expect(broken.sent).toHaveLength(2);
});

test('the plain increment is sent only when asked for, for few counters that were seen and are far from their limit', async () => {
  const seen = draw('a', { seen: 500 });
  expect(await first(true, [seen])).toBe('INCRBY');
  expect(await first(false, [seen])).toBe('EVALSHA');
  expect(await first(true, [draw('a')])).toBe('EVALSHA');
  expect(await first(true, [draw('a', { seen: 0 })])).toBe('EVALSHA');
  expect(await first(true, [draw('a', { seen: 900 })])).toBe('EVALSHA');
  expect(await first(true, [draw('a', { seen: 500, amount: 400 })])).toBe('EVALSHA');
  expect(await first(true, [seen, seen])).toBe('EVALSHA');
  expect(
    await first(
      true,
      ['a', 'b', 'c', 'd', 'e'].map((key) => draw(key, { seen: 500 })),
    ),
  ).toBe('EVALSHA');
});

test('a plain increment that finds its counter lower than seen dates it, one that overshot draws again within the limit', async () => {
  const lower = recordingCommands((args) => (args[0] === 'INCRBY' ? 1 : 1));
  expect(await new RedisStore({ client: lower, fastPath: true }).take([draw('a', { seen: 500 })])).toEqual([
    { granted: 1, total: 1, vanished: true },
  ]);
  expect(lower.sent[1]).toEqual(['EVALSHA', scripts.date.sha, '1', 'a', '2000000']);
  const over = recordingCommands((args) => (args[0] === 'INCRBY' ? 1_010 : [3, 1_000]));
  const greedy = draw('a', { seen: 500, amount: 13, unit: 1 });
  expect(await new RedisStore({ client: over, fastPath: true }).take([greedy])).toEqual([{ granted: 3, total: 1_000 }]);
  expect(over.sent[1]).toEqual(['EVALSHA', scripts.redraw.sha, '1', 'a', '13', '1', '1000', '2000000']);
});

test('READONLY asks for a new connection, at most once a second', async () => {
  let nowMs = 0;
  const commands = recordingCommands(() => new Error("READONLY You can't write against a read only replica."));
  const store = new RedisStore({ client: commands, clock: () => nowMs });
  const fail = (): Promise<unknown> =>
    expect(store.take([draw('a')])).rejects.toMatchObject({ code: 'store-unavailable' });
  await fail();
  await fail();
  nowMs = 999;
  await fail();
  expect(commands.reconnects).toBe(1);
  nowMs = 1_000;
  await fail();
  expect(commands.reconnects).toBe(2);
});

test('a group across slots of a cluster is drawn step by step, one within a slot in one step', async () => {
  const commands = recordingCommands(
    (args) => {
      if (args[0] !== 'EVALSHA') return null;
      return args[1] === scripts['take-all'].sha ? ['charged', '', 1, 0, 0, 1, 0, 0] : [1, 1, 0];
    },
    { isCluster: true },
  );
  const store = new RedisStore({ client: commands });
  expect(store.profile.atomicGroups).toBe(false);
  expect(await store.takeAll([draw('{s}a'), draw('{s}b')])).toMatchObject({ outcome: 'charged' });
  expect(commands.sent.map(([, sha]) => sha)).toEqual([scripts['take-all'].sha]);
  expect(await store.takeAll([draw('a'), draw('b')])).toMatchObject({ outcome: 'charged' });
  expect(commands.sent.slice(1).map(([, sha]) => sha)).toEqual([scripts.take.sha, scripts.take.sha]);
});

test('lanes are the nodes of a cluster, and there are none on a single server', () => {
  expect(new RedisStore({ client: recordingCommands(granted) }).laneOf).toBeUndefined();
  const store = new RedisStore({ client: recordingCommands(granted, { isCluster: true }) });
  expect(store.laneOf?.('{s}a')).toBe(store.laneOf?.('{s}b'));
  expect(store.laneOf?.('foo')).toBe('node-2');
  const unknown = recordingCommands(granted, { isCluster: true, nodeOf: () => undefined });
  expect(new RedisStore({ client: unknown }).laneOf?.('foo')).toBe('unknown node');
});

test('answers that make no sense are failures of the store', async () => {
  for (const reply of [null, 'x', [], ['a'], [1, 2], ['a', 'b', 'c'], { odd: true }]) {
    const store = new RedisStore({ client: recordingCommands(() => reply) });
    await expect(store.take([draw('a')])).rejects.toMatchObject({ code: 'store-unavailable' });
  }
});

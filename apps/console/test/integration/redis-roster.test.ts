import { startRedis, type RedisServer } from '@weir/testkit/redis';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { connectRedis, type RedisConnection } from '../../src/host/redis-connection.ts';
import type { ConsoleSelf, RosterStore } from '../../src/ports/roster.ts';
import { LISTED_FOR_MS, MAX_LISTED } from '../../src/presence/presence-times.ts';
import { redisRoster } from '../../src/presence/redis-roster.ts';
import { silentLogger } from '../support/test-console.ts';

const KEY = 'weir:test:consoles';
const SAID = { uptimeMs: 1_000, databaseAnswers: true, differs: null };

let redis: RedisServer;
let connection: RedisConnection;
let roster: RosterStore;
beforeAll(async () => {
  redis = await startRedis();
  connection = await connectRedis(`redis://127.0.0.1:${redis.port}`, silentLogger);
  roster = redisRoster(connection, KEY);
});
beforeEach(() => redis.command('FLUSHALL'));
afterAll(async () => {
  connection.close();
  await redis.stop();
});

const self = (consoleId: string, url = `http://${consoleId}:8180`): ConsoleSelf => ({
  consoleId,
  url,
  host: `machine of ${consoleId}`,
  version: '1.2.3',
});
const listed = async (): Promise<string[]> => (await roster.list()).map(({ consoleId }) => consoleId).sort();

/** As if a console had said something so long ago. */
async function saidBefore(agoMs: number, { consoleId, url, ...rest }: ConsoleSelf): Promise<void> {
  const text = `${Date.now() - agoMs} ${url} ${JSON.stringify({ ...rest, ...SAID })}`;
  await redis.command('HSET', KEY, consoleId, text);
}

test('what a console says of itself is read as it was said, and how long ago by the clock of Redis', async () => {
  const said = { uptimeMs: 77_000, databaseAnswers: false, differs: 'version' } as const;
  await roster.put(self('a'), said);
  const [heard] = await roster.list();
  expect(heard).toEqual({ ...self('a'), ...said, silentMs: expect.any(Number) });
  await saidBefore(40_000, self('b'));
  const silent = (await roster.list()).find(({ consoleId }) => consoleId === 'b')?.silentMs ?? 0;
  expect(silent).toBeGreaterThanOrEqual(40_000);
});

test('the list has a deadline from its first entry on, which each entry moves', async () => {
  await roster.put(self('a'), SAID);
  expect(Number(await redis.command('PTTL', KEY))).toBeGreaterThan(LISTED_FOR_MS - 60_000);
  await redis.command('PEXPIRE', KEY, '5000');
  await roster.put(self('b'), SAID);
  expect(Number(await redis.command('PTTL', KEY))).toBeGreaterThan(LISTED_FOR_MS - 60_000);
  await roster.remove('a');
  await roster.remove('b');
  expect(await redis.command('EXISTS', KEY)).toBe(0);
});

test('a console leaves the list when it says so, after a day, and when it was started anew at its address', async () => {
  await roster.put(self('stays'), SAID);
  await roster.put(self('ends'), SAID);
  await saidBefore(LISTED_FOR_MS + 1_000, self('yesterday'));
  await saidBefore(LISTED_FOR_MS - 60_000, self('missing'));
  await saidBefore(20_000, self('before', 'http://stays:8180'));
  await saidBefore(2_000, self('beside', 'http://stays:8180'));
  await roster.remove('ends');
  await roster.put(self('stays'), SAID);
  expect(await listed()).toEqual(['beside', 'missing', 'stays']);
});

test('the list is bounded: who was silent for longest goes first', async () => {
  for (let n = 0; n < MAX_LISTED; n += 1) await saidBefore(60_000 + n * 1_000, self(`con-${n}`));
  await roster.put(self('new'), SAID);
  expect((await listed()).length).toBe(MAX_LISTED);
  expect(await listed()).not.toContain(`con-${MAX_LISTED - 1}`);
  expect(await listed()).toContain('new');
});

test('what a console of another version writes is left out, and kept', async () => {
  await roster.put(self('a'), SAID);
  await redis.command('HSET', KEY, 'later', `${Date.now()} http://later:8180 {"form":2}`);
  await redis.command('HSET', KEY, 'strange', 'no time at all');
  expect(await listed()).toEqual(['a']);
  await roster.put(self('a'), SAID);
  expect(await redis.command('HEXISTS', KEY, 'later')).toBe(1);
  expect(await redis.command('HEXISTS', KEY, 'strange')).toBe(0);
});

test('what was said before the clock of Redis was set back is off the list until it is said again', async () => {
  await saidBefore(-3_600_000, self('gone'));
  await saidBefore(-2_000, self('close'));
  expect(await listed()).toEqual(['close']);
  for (let n = 0; n < MAX_LISTED; n += 1) await saidBefore(-3_600_000 - n, self(`con-${n}`));
  await roster.put(self('a'), SAID);
  expect(await redis.command('HLEN', KEY)).toBe(2);
  expect(await listed()).toEqual(['a', 'close']);
});

test.each([
  ['an id that is none', self('<b>', 'http://b:8180')],
  ['an address that is none', self('b', 'javascript:alert(1)')],
  ['a machine with control characters', { ...self('b'), host: '\u001b[2J' }],
  ['a machine longer than any', { ...self('b'), host: 'x'.repeat(1_000_000) }],
  ['a version of several lines', { ...self('b'), version: '1\n2' }],
])('an entry with %s, which no console wrote, is left out', async (_, entry) => {
  await roster.put(self('a'), SAID);
  await saidBefore(0, entry);
  expect(await listed()).toEqual(['a']);
});

test('of a list that somebody filled, those are read that were heard last', async () => {
  await roster.put(self('a'), SAID);
  for (let n = 0; n < 3 * MAX_LISTED; n += 1) await saidBefore(10_000 + n * 1_000, self(`con-${n}`));
  const read = await listed();
  expect(read.length).toBe(MAX_LISTED);
  expect(read).toEqual(expect.arrayContaining(['a', 'con-0', `con-${MAX_LISTED - 2}`]));
});

test('a Redis that is full refuses to write in words for people, and still tells who is there', async () => {
  await roster.put(self('a'), SAID);
  await redis.command('CONFIG', 'SET', 'maxmemory', '1');
  await expect(roster.put(self('a'), SAID)).rejects.toThrow(
    /^OOM command not allowed when used memory > 'maxmemory'\.$/,
  );
  expect(await listed()).toEqual(['a']);
  await redis.command('CONFIG', 'SET', 'maxmemory', '0');
});

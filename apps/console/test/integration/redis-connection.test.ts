import { setTimeout as wait } from 'node:timers/promises';
import { startRedis, type RedisServer } from '@weir/testkit/redis';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectRedis, type RedisConnection } from '../../src/host/redis-connection.ts';

const PASSWORD = 'a-password-of-redis';
const lines: string[] = [];
const note = (fields: object, message: string): void => void lines.push(JSON.stringify(fields) + message);
const log = { debug: note, info: note, warn: note, error: note };

let server: RedisServer;
let connection: RedisConnection | undefined;
beforeEach(async () => {
  lines.length = 0;
  server = await startRedis({ config: { user: `weir on >${PASSWORD} ~* &* +@all` } });
});
afterEach(async () => {
  connection?.close();
  if (server.pid > 0) process.kill(server.pid, 'SIGCONT');
  await server.stop();
});

const url = (password = PASSWORD): string => `redis://weir:${password}@127.0.0.1:${server.port}`;

/** How a command goes, and after how long, in ms. */
async function ping(): Promise<{ reply: unknown; ms: number }> {
  const from = performance.now();
  const reply = await connection?.sendCommand(['PING']).catch(() => 'failed');
  return { reply, ms: performance.now() - from };
}

async function pingUntilAnswered(): Promise<void> {
  const giveUpMs = performance.now() + 20_000;
  while ((await ping()).reply !== 'PONG') {
    if (performance.now() > giveUpMs) throw new Error('Redis is not found again');
    await wait(20);
  }
}

test('commands are refused at once while Redis is down, and it is found again by itself', async () => {
  connection = await connectRedis(url(), log);
  expect((await ping()).reply).toBe('PONG');
  await server.kill();
  await expect.poll(() => connection?.isReady, { timeout: 10_000 }).toBe(false);
  for (let n = 0; n < 3; n += 1) expect(await ping()).toMatchObject({ reply: 'failed' });
  await server.restart();
  await pingUntilAnswered();
  expect(lines.filter((line) => line.includes('does not answer'))).toHaveLength(1);
  expect(lines.filter((line) => line.includes('is back'))).toHaveLength(1);
  expect(lines.join('')).not.toContain(PASSWORD);
});

test('a Redis that hangs costs a command a second, and is asked over a new connection afterwards', async () => {
  connection = await connectRedis(url(), log);
  process.kill(server.pid, 'SIGSTOP');
  const { reply, ms } = await ping();
  expect(reply).toBe('failed');
  expect(ms).toBeLessThan(5_000);
  expect((await ping()).reply).toBe('failed');
  process.kill(server.pid, 'SIGCONT');
  await pingUntilAnswered();
});

test('a Redis that is away at the start is found when it comes', async () => {
  await server.kill();
  connection = await connectRedis(url(), log);
  expect(await ping()).toMatchObject({ reply: 'failed' });
  await server.restart();
  await pingUntilAnswered();
});

test('a wrong password ends the start with a message that does not repeat it', async () => {
  const refused: unknown = await connectRedis(url('another-word'), log).catch((error: unknown) => error);
  expect(refused).toMatchObject({ name: 'RedisRefused', message: expect.stringContaining('WRONGPASS') });
  expect(String(refused) + lines.join('')).not.toContain('another-word');
});

test('a closed connection refuses commands, and ends those that wait', async () => {
  connection = await connectRedis(url(), log);
  process.kill(server.pid, 'SIGSTOP');
  const waiting = ping();
  connection.close();
  connection.close();
  expect((await waiting).reply).toBe('failed');
  await expect(connection.sendCommand(['PING'])).rejects.toThrow('was closed');
});

import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startRedis } from '@weir/testkit/redis';
import type { RedisServer } from '@weir/testkit/redis';

const FOLDER = fileURLToPath(new URL('..', import.meta.url));
const TSX = fileURLToPath(import.meta.resolve('tsx'));

interface Api {
  readonly url: string;
  readonly process: ChildProcess;
}

/** The program as a user starts it. */
async function startApi(env: Record<string, string>): Promise<Api> {
  const child = spawn(process.execPath, ['--conditions=@weir/source', '--import', TSX, 'main.ts'], {
    cwd: FOLDER,
    env: { ...process.env, PORT: '0', NODE_OPTIONS: '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^listening on (\S+)$/.exec(line)?.[1];
    if (url === undefined) continue;
    child.stdout.resume();
    return { url, process: child };
  }
  throw new Error(`the API ended before it listened, code ${child.exitCode}`);
}

async function stopApi({ process: child }: Api): Promise<number | null> {
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', resolve);
  });
  child.kill('SIGTERM');
  return ended;
}

function call(api: Api, key: string, path: string, method = 'GET'): Promise<Response> {
  return fetch(`${api.url}${path}`, { method, headers: { 'X-Api-Key': key } });
}

async function usage(api: Api, key: string): Promise<unknown> {
  return (await call(api, key, '/v1/usage')).json();
}

describe('two servers that share a Redis', () => {
  let redis: RedisServer;
  let first: Api;
  let second: Api;

  beforeAll(async () => {
    redis = await startRedis();
    const env = { REDIS_URL: redis.url, SERVERS: '2' };
    [first, second] = await Promise.all([startApi(env), startApi(env)]);
  });
  afterAll(async () => {
    await Promise.all([first, second].map(stopApi));
    await redis.stop();
  });

  test('who is not known is not served, and no tenant pays for it', async () => {
    const response = await call(first, 'key-guessed', '/v1/documents/7');
    expect(response.status).toBe(401);
    expect(response.headers.get('RateLimit-Policy')).toBe('"burst";q=1000;w=60');
  });

  test('a response tells both quotas, a report costs ten', async () => {
    const response = await call(first, 'key-initech', '/v1/reports', 'POST');
    expect(response.status).toBe(202);
    expect(response.headers.get('RateLimit-Policy')).toBe('"burst";q=1000;w=60, "daily";q=10000;w=86400');
    expect(response.headers.get('RateLimit')).toMatch(/^"burst";r=\d+;t=\d+, "daily";r=9990;t=\d+$/);
    expect(await usage(second, 'key-initech')).toMatchObject({ used: 10, limit: 10_000, remaining: 9_990 });
  });

  test('a tenant gets exactly its day, over both servers, and then a 429 that says when to come back', async () => {
    const answers = await Promise.all(
      Array.from({ length: 150 }, (_, at) => call(at % 2 === 0 ? first : second, 'key-acme', `/v1/documents/${at}`)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(100);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.headers.get('Content-Type')).toBe('application/problem+json');
    const body: unknown = await refused?.json();
    expect(body).toMatchObject({ status: 429, 'violated-policies': ['daily'] });
    const retryAfter = Number(refused?.headers.get('Retry-After'));
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(86_400);
    expect(await usage(first, 'key-acme')).toMatchObject({ used: 100, remaining: 0 });
    // Another tenant has a day of its own.
    expect((await call(first, 'key-globex', '/v1/documents/7')).status).toBe(200);
  });

  test('every counter in Redis has a deadline', async () => {
    const keys: unknown = await redis.command('KEYS', '*');
    if (!Array.isArray(keys)) throw new Error('KEYS answers a list');
    // Three tenants and one address; an address begins a new one each minute.
    expect(keys.length).toBeGreaterThanOrEqual(4);
    for (const key of keys) {
      const lifetimeMs = Number(await redis.command('PTTL', String(key)));
      expect(lifetimeMs).toBeGreaterThan(0);
      expect(lifetimeMs).toBeLessThan(2 * 86_400_000);
    }
  });

  test('while Redis is down tenants are served from the servers’ shares and answered without delay', async () => {
    await redis.kill();
    const startMs = performance.now();
    const answers: Response[] = [];
    for (let at = 0; at < 60; at++) answers.push(await call(second, 'key-globex', '/v1/documents/8'));
    // Of 100 units each of two servers may give out 50.
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(50);
    expect(answers.at(-1)?.status).toBe(503);
    expect(await answers.at(-1)?.json()).toMatchObject({ 'violated-policies': ['daily'] });
    // 60 waits for a store that does not answer would be 15 s.
    expect(performance.now() - startMs).toBeLessThan(10_000);
  });
});

test('without REDIS_URL the program brings a Redis of its own and takes it away again', async () => {
  const api = await startApi({});
  expect((await call(api, 'key-acme', '/v1/documents/7')).status).toBe(200);
  expect(await stopApi(api)).toBe(0);
});

import { spawn } from 'node:child_process';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createClient } from 'redis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { MemoryStore, openQuotas } from '@weir/quota';
import type { Quotas } from '@weir/quota';
import { RedisStore } from '@weir/quota-redis';
import { startRedis } from '@weir/testkit/redis';
import type { RedisServer } from '@weir/testkit/redis';
import { createProxy } from '../proxy.ts';
import { createUpstream } from '../upstream.ts';
import type { Upstream } from '../upstream.ts';
import { UsageMeter } from '../usage-meter.ts';

const DAILY_TOKENS = 500;
let redis: RedisServer;

beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.stop());

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on TCP has an AddressInfo
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function complete(url: string, prompt: string, most: number, signal?: AbortSignal): Promise<Response> {
  const body = JSON.stringify({ prompt, max_tokens: most });
  return fetch(`${url}/v1/completions`, {
    method: 'POST',
    headers: { 'X-Team': 'search' },
    body,
    ...(signal === undefined ? {} : { signal }),
  });
}

async function used(url: string): Promise<number> {
  const response = await fetch(`${url}/v1/usage`, { headers: { 'X-Team': 'search' } });
  const usage: unknown = await response.json();
  return usage !== null && typeof usage === 'object' && 'used' in usage ? Number(usage.used) : Number.NaN;
}

/** Reads a stream up to a text and leaves it open. */
async function readUntil(response: Response, text: string): Promise<void> {
  const reader = response.body!.getReader();
  const decoder = new TextDecoder();
  let seen = '';
  while (!seen.includes(text)) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`the stream ended without ${text}`);
    seen += decoder.decode(value, { stream: true });
  }
  reader.releaseLock();
}

describe.each(['memory', 'redis'] as const)('a token budget in %s', (where) => {
  let quotas: Quotas;
  let upstream: Upstream;
  let proxy: Server;
  let url: string;
  let disconnect: (() => void) | undefined;

  beforeEach(async () => {
    if (where === 'redis') {
      await redis.command('FLUSHALL');
      const client = createClient({ url: redis.url });
      await client.connect();
      disconnect = () => client.destroy();
      quotas = openQuotas({ store: new RedisStore({ client }) });
    } else {
      quotas = openQuotas({ store: new MemoryStore() });
    }
    upstream = createUpstream(3);
    const upstreamUrl = await listen(upstream.server);
    proxy = createProxy({ quotas, upstreamUrl, dailyTokens: () => DAILY_TOKENS, reservationMs: 60_000 });
    url = await listen(proxy);
  });
  afterEach(async () => {
    for (const server of [proxy, upstream.server]) {
      server.close();
      server.closeAllConnections();
    }
    await quotas.close();
    disconnect?.();
    disconnect = undefined;
  });

  test('a completion is charged what the model reports, and the rest of its reservation goes back', async () => {
    const response = await complete(url, 'say 30 words', 200);
    expect(response.headers.get('RateLimit')).toMatch(/^"tokens";r=288;t=\d+$/);
    const stream = await response.text();
    expect(stream).toContain('word30 ');
    expect(stream).toContain('data: [DONE]');
    expect(stream).toContain('event: budget\ndata: {"charged":33,"outcome":"settled","returned":179,"added":0}');
    expect(await used(url)).toBe(33);
  });

  test('what is reserved cannot be had by others until it is settled', async () => {
    const first = await complete(url, 'say 100 words', 400);
    const second = await complete(url, 'say 1 word', 300);
    expect(second.status).toBe(429);
    expect(second.headers.get('Content-Type')).toBe('application/problem+json');
    expect(await second.json()).toMatchObject({ 'violated-policies': ['tokens'] });
    await first.text();
    const third = await complete(url, 'say 1 word', 300);
    expect(third.status).toBe(200);
    await third.text();
  });

  test('a call that is refused never reaches the model', async () => {
    let asked = 0;
    upstream.server.on('request', () => (asked += 1));
    expect((await complete(url, 'say 1 word', DAILY_TOKENS)).status).toBe(429);
    expect(asked).toBe(0);
    expect(await used(url)).toBe(0);
  });

  test('a caller that hangs up pays for what was said, and the model is stopped', async () => {
    const hangUp = new AbortController();
    const response = await complete(url, 'say 400 words', 400, hangUp.signal);
    await readUntil(response, 'word20 ');
    hangUp.abort();
    await vi.waitFor(async () => {
      expect(upstream.aborted).toBe(1);
      expect(await used(url)).toBeLessThan(400);
    });
    expect(await used(url)).toBeGreaterThanOrEqual(23);
  });

  test('a model that fails costs nothing', async () => {
    expect((await complete(url, 'fail, please', 100)).status).toBe(502);
    expect(await used(url)).toBe(0);
  });

  test('many calls at once never use more than the budget, and all of it can be used', async () => {
    const calls = Array.from({ length: 30 }, async () => {
      const response = await complete(url, 'say 40', 44);
      await response.text();
      return response.status;
    });
    const statuses = await Promise.all(calls);
    const admitted = statuses.filter((status) => status === 200).length;
    // Ten reservations of 50 fit at once; more calls fit as others settle for 42.
    expect(admitted).toBeGreaterThanOrEqual(10);
    expect(admitted).toBeLessThanOrEqual(11);
    expect(await used(url)).toBe(admitted * 42);
  });
});

test('usage is read however the network cuts the stream, and nonsense is passed over', () => {
  const stream =
    'data: {"text":"ü","usage":{"prompt_tokens":4,"completion_tokens":1}}\n\ndata: {broken\ndata: {"usage":null}\n' +
    'data: null\nevent: x\ndata: {"usage":{"prompt_tokens":4,"completion_tokens":"many"}}\n' +
    'data: {"usage":{"prompt_tokens":4,"completion_tokens":9}}\ndata: [DONE]\n\n';
  const bytes = new TextEncoder().encode(stream);
  for (let size = 1; size <= bytes.length; size++) {
    const meter = new UsageMeter();
    for (let at = 0; at < bytes.length; at += size) meter.read(bytes.subarray(at, at + size));
    expect(meter.tokens).toBe(13);
  }
});

test('a proxy that is killed in the middle of a call gives its reservation back when the lease ends', async () => {
  await redis.command('FLUSHALL');
  const folder = fileURLToPath(new URL('..', import.meta.url));
  const start = async (): Promise<{ url: string; kill: () => void }> => {
    const child = spawn(
      process.execPath,
      ['--conditions=@weir/source', '--import', fileURLToPath(import.meta.resolve('tsx')), 'main.ts'],
      {
        cwd: folder,
        env: { ...process.env, PORT: '0', REDIS_URL: redis.url, RESERVATION_MS: '4000', NODE_OPTIONS: '' },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    for await (const line of createInterface({ input: child.stdout })) {
      const url = /^listening on (\S+)$/.exec(line)?.[1];
      if (url !== undefined) return { url, kill: () => void child.kill('SIGKILL') };
    }
    throw new Error('the proxy ended before it listened');
  };
  const [first, second] = await Promise.all([start(), start()]);
  try {
    await readUntil(await complete(first.url, 'say 400 words', 400), 'word3 ');
    first.kill();
    expect((await complete(second.url, 'say 1 word', 400)).status).toBe(429);
    await vi.waitFor(
      async () => {
        const response = await complete(second.url, 'say 1 word', 400);
        await response.text();
        expect(response.status).toBe(200);
      },
      { timeout: 20_000, interval: 200 },
    );
    expect(await used(second.url)).toBe(4);
    const keys: unknown = await redis.command('KEYS', '*');
    if (!Array.isArray(keys)) throw new Error('KEYS answers a list');
    for (const key of keys) expect(Number(await redis.command('PTTL', String(key)))).toBeGreaterThan(0);
  } finally {
    first.kill();
    second.kill();
  }
});

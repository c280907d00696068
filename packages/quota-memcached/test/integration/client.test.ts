import { deadlineAt } from '@weir/quota';
import * as fc from 'fast-check';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startMemcached, type MemcachedServer } from '@weir/testkit/memcached';
import {
  expiryOf,
  MemcachedClient,
  type DumpEntry,
  type MemcachedClientOptions,
  type MemcachedServerClient,
} from '../../src/index.ts';

let server: MemcachedServer;
let client: MemcachedClient;
let one: MemcachedServerClient;
const expiry = expiryOf(deadlineAt(Date.now() + 3_600_000, Date.now()), Date.now());

beforeAll(async () => {
  server = await startMemcached();
  // Long enough for a busy machine: these tests are not about time.
  client = new MemcachedClient({ servers: server.address, callTimeoutMs: 20_000 });
  one = client.servers[0]!;
});

afterAll(async () => {
  client.close();
  await server.stop();
});

beforeEach(async () => {
  await server.exchange('flush_all\r\n');
});

async function dumped(from: MemcachedClient): Promise<DumpEntry[]> {
  const entries: DumpEntry[] = [];
  for await (const entry of from.dump()) entries.push(entry);
  return entries;
}

describe('commands', () => {
  test('ma creates with its amount and deadline, raises, lowers to zero at most, and creates nothing unasked', async () => {
    expect(await one.ma('n', { delta: 5, create: expiry })).toMatchObject({ digits: '5' });
    const raised = await one.ma('n', { delta: 7, create: expiry });
    expect(raised).toMatchObject({ digits: '12' });
    expect(await one.ma('n', { delta: 99, mode: 'decrement' })).toMatchObject({ digits: '0' });
    expect(await one.ma('absent', { delta: 1 })).toBe('absent');
    expect(await one.ma('absent', { delta: 1, mode: 'decrement' })).toBe('absent');
    expect((await server.entries()).map(({ key }) => key)).toEqual(['n']);
  });

  test('a change tied to a state happens in that state only', async () => {
    const first = await one.ma('n', { delta: 5, create: expiry });
    const cas = typeof first === 'string' ? '' : first.cas;
    expect(await one.ma('n', { delta: 1, ifUnchanged: cas })).toMatchObject({ digits: '6' });
    expect(await one.ma('n', { delta: 1, ifUnchanged: cas })).toBe('changed');
    expect(await one.ms('n', 'x', { expiry, ifUnchanged: cas })).toBe('changed');
    expect(await one.md('n', cas)).toBe('changed');
    expect(await one.ms('gone', 'x', { expiry, ifUnchanged: cas })).toBe('absent');
    const now = await one.mg('n');
    expect(await one.ms('n', '40', { expiry, ifUnchanged: now?.cas ?? '' })).toBe('stored');
    expect(await one.mg('n')).toMatchObject({ latin1: '40' });
    expect(await one.md('n')).toBe('deleted');
    expect(await one.md('n')).toBe('absent');
  });

  test('an entry without a deadline is seen as such and can be dated, a number and a text alike', async () => {
    await server.exchange('set n 0 0 2\r\n57\r\nset text 0 0 3\r\nabc\r\n');
    expect(await one.mg('n')).toMatchObject({ latin1: '57', remainingSeconds: -1 });
    expect(await one.ma('n', { delta: 0, date: expiry })).toMatchObject({ digits: '57' });
    await one.mg('text', expiry);
    const entries = await server.entries();
    expect(entries.map(({ expiresAtSeconds }) => expiresAtSeconds)).toEqual([expiry, expiry]);
  });

  test('me, version, stats and mn answer', async () => {
    await one.ms('n', '5', { expiry });
    expect((await one.me('n'))?.get('exp')).toMatch(/^-?\d+$/);
    expect(await one.me('absent')).toBeUndefined();
    expect(await one.version()).toMatch(/^1\.\d+\.\d+/);
    expect(Number((await one.stats()).get('pid'))).toBe(server.pid);
    expect((await one.stats('settings')).get('evictions')).toBe('on');
    await one.mn();
  });

  test('answers of thousands of mixed commands in one tick reach their callers', async () => {
    const calls = Array.from({ length: 5_000 }, async (_, index) => {
      const key = `mixed-${index % 700}-${index}`;
      const value = 'v'.repeat(index % 300) + String(index);
      const [stored, item, gone] = await Promise.all([
        one.ms(key, value, { expiry }),
        one.mg(key),
        one.mg(`no-${key}`),
      ]);
      return stored === 'stored' && item?.latin1 === value && gone === undefined;
    });
    expect((await Promise.all(calls)).every(Boolean)).toBe(true);
  });
});

describe('bytes', () => {
  test('keys of any bytes work with every command, and a dump gives them back', async () => {
    const keys = new Map<string, Uint8Array>();
    const anyKey = fc.uint8Array({ minLength: 1, maxLength: 186 });
    const special = ['a b', 'line\r\nend', '\0', 'ключ', 'x'.repeat(250), '%41', 'a:b{c}~', '\x7f', ' '].map((text) =>
      Uint8Array.from(Buffer.from(text)),
    );
    await fc.assert(
      fc.asyncProperty(anyKey, async (key) => {
        keys.set(Buffer.from(key).toString('latin1'), key);
        await one.md(key);
        expect(await one.ma(key, { delta: 3, create: expiry })).toMatchObject({ digits: '3' });
        expect((await one.me(key))?.get('size')).toMatch(/^\d+$/);
        expect(await one.ms(key, '10', { expiry })).toBe('stored');
        expect(await one.mg(key)).toMatchObject({ latin1: '10' });
        expect((await one.me(key))?.get('size')).toMatch(/^\d+$/);
      }),
      { numRuns: 200, examples: special.map((key): [Uint8Array] => [key]) },
    );
    const entries = await dumped(client);
    expect(entries.map(({ keyLatin1 }) => keyLatin1).sort()).toEqual([...keys.keys()].sort());
    for (const entry of entries) expect(entry.expiresAtSeconds).toBe(expiry);
  });

  test('a dump that is read slowly, or not at all for a while, holds up nobody', async () => {
    const names = Array.from(
      { length: 60_000 },
      (_, n) => `an-entry-whose-name-is-long-enough-to-fill-what-waits-in-sockets:${n}`,
    );
    await Promise.all(names.map((name) => one.ms(name, '1', { expiry })));
    const entries = client.dump();
    await entries.next();
    // The server has sent all that the sockets between take, and waits to write more.
    await sleep(1_000);
    const reader = new MemcachedClient({ servers: server.address, callTimeoutMs: 5_000 });
    const read = await Promise.all(names.map((name) => reader.servers[0]!.mg(name)));
    expect(read.filter((entry) => entry?.latin1 === '1')).toHaveLength(names.length);
    reader.close();
    let rest = 0;
    for await (const entry of entries) rest += Number(entry.key.startsWith('an-entry'));
    expect(rest).toBe(names.length - 1);
  });

  test('values of any bytes come back as they were, up to the size that the server takes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 3_000 }), async (bytes) => {
        const latin1 = Buffer.from(bytes).toString('latin1');
        await one.ms('value', latin1, { expiry });
        expect((await one.mg('value'))?.latin1).toBe(latin1);
      }),
    );
    const large = '\0\r\nEND\r\n'.repeat(100_000);
    expect(await one.ms('large', large, { expiry })).toBe('stored');
    expect((await one.mg('large'))?.latin1).toBe(large);
    await expect(one.ms('larger', 'x'.repeat(2_000_000), { expiry })).rejects.toMatchObject({
      code: 'store-unavailable',
    });
    expect((await one.mg('large'))?.latin1).toHaveLength(large.length);
  });
});

describe('what this package avoids because memcached', () => {
  test('reads a lifetime of over 30 days as a date in 1970', async () => {
    await server.exchange('ma n N2592001 J1 D1\r\n');
    expect(await server.exchange('mg n v\r\n')).toBe('EN\r\n');
  });

  test('forgets at once what expires after January 2038, or never expires it', async () => {
    const replies = await server.exchange('ma a N2147483648 J1 D1\r\nmg a v\r\nma b N4294967296 J1 D1\r\nmg b t\r\n');
    expect(replies).toBe('HD\r\nEN\r\nHD\r\nHD t-1\r\n');
    const latest = expiryOf(deadlineAt(Date.UTC(9_000, 1), Date.now()), Date.now());
    await one.ma('c', { delta: 1, create: latest });
    const entries = await server.entries();
    expect(entries.find(({ key }) => key === 'c')?.expiresAtSeconds).toBe(latest);
  });

  test('counts past 2^64 to zero', async () => {
    await one.ms('n', '18446744073709551615', { expiry });
    expect(await one.ma('n', { delta: 2 })).toMatchObject({ digits: '1' });
  });
});

describe('ways to the server', () => {
  const open: (Server | { close(): unknown })[] = [];
  const clients: MemcachedClient[] = [];

  afterAll(() => {
    for (const opened of clients) opened.close();
    for (const opened of open) opened.close();
  });

  async function keysThrough(options: MemcachedClientOptions): Promise<string[]> {
    const other = new MemcachedClient(options);
    clients.push(other);
    await other.servers[0]?.ma('way', { delta: 2, create: expiry });
    expect(await one.mg('way')).toMatchObject({ latin1: '2' });
    return (await dumped(other)).map(({ key }) => key);
  }

  test('a Unix socket', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'weir-memcached-'));
    const path = join(folder, 'socket');
    const bridge = createServer((socket) => socket.pipe(connect({ port: server.port })).pipe(socket));
    open.push(bridge);
    await new Promise<void>((resolve) => {
      bridge.listen(path, resolve);
    });
    expect(await keysThrough({ servers: `unix:${path}` })).toEqual(['way']);
    await rm(folder, { recursive: true });
  });

  test('TLS', async () => {
    // A shared key instead of certificates: the test holds no private key file and needs no openssl.
    const psk = Buffer.alloc(32, 7);
    const ciphers = 'PSK-AES128-GCM-SHA256';
    const maxVersion = 'TLSv1.2' as const;
    const bridge = createTlsServer({ ciphers, maxVersion, pskCallback: () => psk }, (socket) => {
      socket.pipe(connect({ port: server.port })).pipe(socket);
    });
    open.push(bridge);
    await new Promise<void>((resolve) => {
      bridge.listen(0, '127.0.0.1', resolve);
    });
    const address = bridge.address();
    const port = typeof address === 'object' ? address?.port : address;
    const pskCallback = (): { psk: Buffer; identity: string } => ({ psk, identity: 'weir' });
    const tls = { ciphers, maxVersion, pskCallback, checkServerIdentity: () => undefined, servername: '' };
    expect(await keysThrough({ servers: `memcacheds://127.0.0.1:${port}`, tls })).toEqual(['way']);
  });

  test('nobody listening is reported at once, with the reason', async () => {
    const nobody = new MemcachedClient({ servers: '127.0.0.1:1' });
    clients.push(nobody);
    await expect(nobody.servers[0]?.mg('a')).rejects.toThrow(/127\.0\.0\.1:1 cannot be reached: .*ECONNREFUSED/);
  });
});

test('a server that forbids dumps, and one that counts no compare-and-swap tokens, say so', async () => {
  const strict = await startMemcached({ flags: ['-X', '-C'] });
  const other = new MemcachedClient({ servers: strict.address });
  try {
    await expect(dumped(other)).rejects.toMatchObject({ code: 'store-refused' });
    expect(await other.servers[0]?.ma('n', { delta: 1, create: expiry })).toMatchObject({ cas: '0' });
  } finally {
    other.close();
    await strict.stop();
  }
});

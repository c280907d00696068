import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { MemcachedClient, type DumpEntry } from '../../src/index.ts';
import { ScriptedWorld } from '../support/scripted-wire.ts';

const escapeByte = (byte: number): string =>
  /[A-Za-z0-9\-._~]/.test(String.fromCharCode(byte))
    ? String.fromCharCode(byte)
    : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;

/** Lets the reader of a dump come as far as it can. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
}

/** Answers what a dump begins with. */
async function begin(world: ScriptedWorld, version = '1.6.40'): Promise<void> {
  world.socket.server.opened();
  expect(world.socket.writes).toEqual(['version\r\n']);
  world.socket.server.received(`VERSION ${version}\r\n`);
  await new Promise(setImmediate);
}

/** The server's side of a dump, written in pieces; a piece is sent when the reader has taken the last one. */
async function dump(pieces: readonly string[], world = new ScriptedWorld()): Promise<DumpEntry[]> {
  const client = new MemcachedClient({ servers: 'cache', openWire: world.openWire, timers: world.timers });
  const entries: DumpEntry[] = [];
  const reading = (async () => {
    for await (const entry of client.dump()) entries.push(entry);
  })();
  await begin(world);
  expect(world.socket.writes).toEqual(['version\r\n', 'lru_crawler metadump hash\r\n']);
  for (const piece of pieces) {
    world.socket.server.received(piece);
    await Promise.resolve();
  }
  await reading;
  expect(world.socket.destroyed).toBe(true);
  expect(world.pendingTimers).toBe(0);
  return entries;
}

test('every entry comes out with the bytes of its key, wherever the stream is cut', async () => {
  const key = fc.uint8Array({ minLength: 1, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(fc.array(key, { maxLength: 8 }), fc.integer({ min: 1, max: 40 }), async (keys, cut) => {
      const lines = keys.map(
        (bytes, index) =>
          `key=${[...bytes].map(escapeByte).join('')} exp=${index - 1} la=7 cas=3 fetch=no cls=1 size=${61 + index}\n`,
      );
      const stream = `${lines.join('')}END\r\n`;
      const pieces: string[] = [];
      for (let at = 0; at < stream.length; at += cut) pieces.push(stream.slice(at, at + cut));
      const entries = await dump(pieces);
      expect(entries.map((entry) => [...Buffer.from(entry.keyLatin1, 'latin1')])).toEqual(
        keys.map((bytes) => [...bytes]),
      );
      expect(entries.map((entry) => entry.expiresAtSeconds)).toEqual(keys.map((_, index) => index - 1));
      expect(entries.map((entry) => entry.sizeBytes)).toEqual(keys.map((_, index) => 61 + index));
    }),
  );
});

test('a dump that cannot run says why', async () => {
  const refusals: [string, string][] = [
    ['BUSY currently processing crawler request\r\n', 'store-unavailable'],
    ['SERVER_ERROR out of memory\r\n', 'store-unavailable'],
  ];
  for (const [line, code] of refusals) await expect(dump([line])).rejects.toMatchObject({ code });
});

test('a server that cannot walk its hash table is asked to walk its lists, and one that forbids dumps says so', async () => {
  const world = new ScriptedWorld();
  const client = new MemcachedClient({ servers: 'cache', openWire: world.openWire, timers: world.timers });
  const entries = client.dump();
  const first = entries.next();
  await begin(world, '1.5.6');
  world.socket.server.received('CLIENT_ERROR invalid class id\r\n');
  await new Promise(setImmediate);
  expect(world.sockets).toHaveLength(2);
  await begin(world, '1.5.6');
  expect(world.socket.writes).toEqual(['version\r\n', 'lru_crawler metadump all\r\n']);
  world.socket.server.received('ERROR metadump not allowed\r\n');
  await expect(first).rejects.toMatchObject({ code: 'store-refused' });
  expect(world.sockets.every((socket) => socket.destroyed)).toBe(true);
});

test('a dump cut short, or silent for a minute, fails instead of looking complete', async () => {
  const cut = new ScriptedWorld();
  const cutting = dump(['key=a exp=-1 la=1 cas=1 fetch=no cls=1 size=1\n'], cut);
  await Promise.all([
    expect(cutting).rejects.toMatchObject({ code: 'store-unavailable' }),
    turns().then(() => cut.socket.server.lost(undefined)),
  ]);

  const silent = new ScriptedWorld();
  const waiting = dump([], silent);
  await turns();
  silent.pass(60_000);
  await expect(waiting).rejects.toMatchObject({ code: 'store-timeout' });
});

/** A dump of which the first entry is taken, and much more has come. */
async function slowlyRead(version: string) {
  const world = new ScriptedWorld();
  const client = new MemcachedClient({ servers: 'cache', openWire: world.openWire, timers: world.timers });
  const entries = client.dump();
  const first = entries.next();
  await begin(world, version);
  const line = 'key=a exp=-1 la=1 cas=1 fetch=no cls=1 size=1\n';
  world.socket.server.received(line);
  expect((await first).value).toMatchObject({ key: 'a' });
  world.socket.server.received(line.repeat(50_000));
  return { world, entries };
}

test('a reader that is slower than the server holds the server back', async () => {
  for (const version of ['1.6.19', '1.6.40', '1.7.0', '2.0.0']) {
    const { world, entries } = await slowlyRead(version);
    expect(world.socket.paused).toBe(true);
    await entries.next();
    expect(world.socket.paused).toBe(false);
    await entries.return(undefined);
    expect(world.socket.destroyed).toBe(true);
  }
});

test('a server that holds a lock while it writes, or does not tell its version, is never held back, and nothing is lost', async () => {
  for (const version of ['1.6.18', '1.6.9', '1.5.22', 'of-somebody-else']) {
    const { world, entries } = await slowlyRead(version);
    expect(world.socket.paused).toBe(false);
    world.socket.server.received('END\r\n');
    let rest = 0;
    for await (const entry of entries) rest += Number(entry.key === 'a');
    expect(rest).toBe(50_000);
    expect(world.socket.paused).toBe(false);
  }
});

import { QuotaError } from '@weir/quota';
import { describe, expect, test } from 'vitest';
import { outcome, ScriptedWorld, scriptedConnection } from '../support/scripted-wire.ts';

const code = (error: unknown): string => (error instanceof QuotaError ? error.code : `no QuotaError: ${String(error)}`);

describe('pipelining', () => {
  test('requests of one tick travel in one write, and replies reach their callers in order', async () => {
    const world = new ScriptedWorld();
    const { connection } = scriptedConnection(world);
    const first = connection.meta('mg a', ' v');
    world.socket.server.opened();
    expect(world.socket.writes).toEqual(['mg a O0 v\r\n']);
    const second = connection.meta('mg b', ' v');
    const third = connection.send('version\r\n', 'line');
    expect(world.socket.writes).toHaveLength(1);
    world.tick();
    expect(world.socket.writes[1]).toBe('mg b O1 v\r\nversion\r\n');
    world.socket.server.received('VA 1 O0\r\n1\r\nEN O1\r');
    world.socket.server.received('\nVERSION 1.6.18\r\n');
    expect((await first).body).toBe('1');
    expect((await second).line).toBe('EN O1');
    expect((await third).line).toBe('VERSION 1.6.18');
    expect(connection.inFlight).toBe(0);
  });

  test('more requests than may wait fail at once and disturb none of the others', async () => {
    const world = new ScriptedWorld();
    const { connection } = scriptedConnection(world, { callTimeoutMs: 1_000, maxInFlight: 2 });
    const waiting = [connection.meta('mg a', ''), connection.meta('mg b', '')];
    expect(code(await outcome(connection.meta('mg c', '')))).toBe('store-unavailable');
    world.socket.server.opened();
    world.socket.server.received('EN\r\nEN\r\n');
    await Promise.all(waiting);
    void outcome(connection.meta('mg d', ''));
    expect(connection.inFlight).toBe(1);
  });

  test('thousands of requests keep their order', async () => {
    const world = new ScriptedWorld();
    const { connection } = scriptedConnection(world, { callTimeoutMs: 1_000, maxInFlight: 10_000 });
    const calls = Array.from({ length: 5_000 }, () => connection.meta('mg a', ' v'));
    world.socket.server.opened();
    const opaques = [...(world.socket.writes[0] ?? '').matchAll(/ O(\w+)/g)].map((match) => match[1]);
    for (let index = 0; index < calls.length; index += 500) {
      const replies = opaques.slice(index, index + 500).map((opaque, at) => {
        const value = String(index + at);
        return `VA ${value.length} O${opaque}\r\n${value}\r\n`;
      });
      world.socket.server.received(replies.join(''));
    }
    const bodies = (await Promise.all(calls)).map((reply) => reply.body);
    expect(bodies).toEqual(Array.from({ length: 5_000 }, (_, index) => String(index)));
  });
});

describe('a pipeline out of step is given up', () => {
  test.each([
    ['the token of another request', 'HD O7\r\n'],
    ['a token that only begins alike', 'HD O00\r\n'],
    ['a malformed reply', 'VA 1\r\n123\r\n'],
    ['a reply nobody asked for', 'HD O0\r\nHD O1\r\nHD O2\r\n'],
  ])('%s', async (_, bytes) => {
    const world = new ScriptedWorld();
    const { connection, events } = scriptedConnection(world);
    const calls = [outcome(connection.meta('md a', '')), outcome(connection.meta('md b', ''))];
    world.socket.server.opened();
    const { socket } = world;
    socket.server.received(bytes);
    expect(socket.destroyed).toBe(true);
    expect(events.map(({ type }) => type)).toEqual(['connected', 'lost']);
    const failed = (await Promise.all(calls)).filter((result) => result instanceof Error).map(code);
    expect(new Set(failed)).toEqual(new Set(bytes.includes('O2') ? [] : ['store-unavailable']));
    // What the given-up socket still says reaches nobody.
    const next = outcome(connection.meta('md c', ''));
    world.pass(100);
    const retried = outcome(connection.meta('md d', ''));
    world.socket.server.opened();
    socket.server.received('HD O2\r\n');
    socket.server.lost(undefined);
    expect(connection.inFlight).toBeGreaterThan(0);
    world.socket.server.lost(new Error('the end'));
    await Promise.all([next, retried]);
  });

  test('an overdue answer ends the connection: the overdue call times out, younger ones fail, none gets a late answer', async () => {
    const world = new ScriptedWorld();
    const { connection } = scriptedConnection(world);
    const old = outcome(connection.meta('ma a', ''));
    world.socket.server.opened();
    world.pass(600);
    const young = outcome(connection.meta('ma b', ''));
    world.tick();
    world.pass(399);
    expect(world.socket.destroyed).toBe(false);
    world.pass(1);
    expect(world.socket.destroyed).toBe(true);
    expect(code(await old)).toBe('store-timeout');
    expect(code(await young)).toBe('store-unavailable');
    world.socket.server.received('HD O0\r\nHD O1\r\n');
    expect(world.pendingTimers).toBe(0);
  });

  test('an answer in time moves the watch to the next request', async () => {
    const world = new ScriptedWorld();
    const { connection } = scriptedConnection(world);
    const first = connection.meta('ma a', '');
    world.socket.server.opened();
    world.pass(900);
    const second = outcome(connection.meta('ma b', ''));
    world.tick();
    world.socket.server.received('HD O0\r\n');
    await first;
    world.pass(900);
    expect(world.socket.destroyed).toBe(false);
    world.pass(100);
    expect(code(await second)).toBe('store-timeout');
  });

  test('an answer that arrived while this process was too busy to read it is no time-out', async () => {
    const world = new ScriptedWorld();
    const { connection } = scriptedConnection(world);
    const first = connection.meta('ma a', '');
    const second = outcome(connection.meta('ma b', ''));
    world.socket.server.opened();
    world.fireTimers(5_000);
    world.socket.server.received('HD O0\r\n');
    world.tick();
    expect((await first).line).toBe('HD O0');
    expect(world.socket.destroyed).toBe(false);
    world.pass(1);
    expect(code(await second)).toBe('store-timeout');
    expect(world.pendingTimers).toBe(0);
  });

  test('a server that could not read a data block may answer twice, so the connection ends', async () => {
    const world = new ScriptedWorld();
    const { connection } = scriptedConnection(world);
    const write = outcome(connection.meta('ms a 2', ' T9999999\r\nabc'));
    const behind = outcome(connection.meta('mg a', ' v'));
    world.socket.server.opened();
    world.socket.server.received('CLIENT_ERROR bad data chunk\r\nERROR\r\n');
    expect(code(await write)).toBe('store-refused');
    expect(code(await behind)).toBe('store-unavailable');
    expect(world.socket.destroyed).toBe(true);
  });
});

describe('errors that keep the pipeline in step', () => {
  test.each([
    ['SERVER_ERROR Out of memory allocating new item', 'store-unavailable'],
    ['SERVER_ERROR object too large for cache', 'store-unavailable'],
    ['CLIENT_ERROR cannot increment or decrement non-numeric value', 'store-corrupt'],
    ['CLIENT_ERROR invalid or duplicate flag', 'store-refused'],
    ['ERROR', 'store-refused'],
  ])('%s fails its own request only', async (line, expected) => {
    const world = new ScriptedWorld();
    const { connection } = scriptedConnection(world);
    const bad = outcome(connection.meta('ma a', ''));
    const good = connection.meta('ma b', '');
    world.socket.server.opened();
    world.socket.server.received(`${line}\r\nHD O1\r\n`);
    expect(code(await bad)).toBe(expected);
    expect((await good).line).toBe('HD O1');
    expect(world.socket.destroyed).toBe(false);
  });
});

describe('a lost connection', () => {
  test('fails everything that waits, sends nothing twice, and is opened again by the next call', async () => {
    const world = new ScriptedWorld();
    const { connection } = scriptedConnection(world);
    const answered = connection.meta('mg a', '');
    world.socket.server.opened();
    world.socket.server.received('EN O0\r\n');
    await answered;
    const cut = outcome(connection.meta('ma a', ' D1'));
    world.tick();
    world.socket.server.lost(new Error('ECONNRESET'));
    const failure = await cut;
    expect(code(failure)).toBe('store-unavailable');
    expect(failure).toMatchObject({ message: expect.stringContaining('ECONNRESET') as unknown });
    expect(world.sockets).toHaveLength(1);
    const again = connection.meta('mg a', '');
    expect(world.sockets).toHaveLength(2);
    world.socket.server.opened();
    expect(world.socket.writes).toEqual(['mg a O2\r\n']);
    world.socket.server.received('EN O2\r\n');
    await again;
  });

  test('a server that cannot be reached is left alone for longer and longer, at most 2 s, and calls meanwhile fail at once', async () => {
    const world = new ScriptedWorld();
    world.random = 0.999_999;
    const { connection } = scriptedConnection(world);
    const pauses: number[] = [];
    let attempt = outcome(connection.meta('mg a', ''));
    for (let opened = 1; opened <= 9; opened++) {
      expect(world.sockets).toHaveLength(opened);
      world.socket.server.lost(new Error('ECONNREFUSED'));
      expect(code(await attempt)).toBe('store-unavailable');
      for (let waitedMs = 10; ; waitedMs += 10) {
        world.pass(10);
        attempt = outcome(connection.meta('mg a', ''));
        if (world.sockets.length > opened) {
          pauses.push(waitedMs);
          break;
        }
        expect(await attempt).toMatchObject({
          message: expect.stringMatching(/ECONNREFUSED; next attempt in \d+ ms/) as unknown,
        });
      }
    }
    expect(pauses[0]).toBe(50);
    expect(Math.max(...pauses)).toBe(2_000);
    expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
  });

  test('a time-out while connecting gives the attempt up', async () => {
    const world = new ScriptedWorld();
    const { connection } = scriptedConnection(world);
    const call = outcome(connection.meta('mg a', ''));
    world.pass(1_000);
    expect(code(await call)).toBe('store-timeout');
    expect(world.socket.destroyed).toBe(true);
    expect(world.socket.writes).toEqual([]);
  });

  test('closing fails what waits and every later call, and leaves no timer', async () => {
    const world = new ScriptedWorld();
    const { connection } = scriptedConnection(world);
    const call = outcome(connection.meta('mg a', ''));
    connection.close();
    connection.close();
    expect(code(await call)).toBe('store-unavailable');
    expect(code(await outcome(connection.meta('mg a', '')))).toBe('store-unavailable');
    expect(world.socket.destroyed).toBe(true);
    expect(world.pendingTimers).toBe(0);
    expect(world.sockets).toHaveLength(1);
  });

  test('a server that has too many connections is reported as unavailable', async () => {
    const world = new ScriptedWorld();
    const { connection } = scriptedConnection(world);
    const call = outcome(connection.meta('mg a', ''));
    world.socket.server.opened();
    world.socket.server.received('ERROR Too many open connections\r\n');
    world.socket.server.lost(undefined);
    expect(code(await call)).toBe('store-unavailable');
  });
});

import { createServer, connect } from 'node:net';
import type { Server, Socket } from 'node:net';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startFaultProxy } from '../../src/network/fault-proxy.ts';
import type { FaultProxy } from '../../src/network/fault-proxy.ts';

let server: Server;
let proxy: FaultProxy;
let received: string;
const sockets: Socket[] = [];

beforeEach(async () => {
  received = '';
  server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      received += String(chunk);
      socket.write(`re:${String(chunk)}`);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  proxy = await startFaultProxy({ port: address.port });
});

afterEach(async () => {
  await proxy.close();
  for (const socket of sockets.splice(0)) socket.destroy();
  server.close();
});

async function open(): Promise<{ socket: Socket; text: () => string; closed: Promise<void> }> {
  const socket = connect({ port: proxy.port, host: proxy.host });
  sockets.push(socket);
  let text = '';
  socket.on('data', (chunk) => (text += String(chunk)));
  socket.on('error', () => undefined);
  const closed = closing(socket);
  await once(socket, 'connect');
  return { socket, text: () => text, closed };
}

/** Unlike `once` of node:events, this does not reject on a reset. */
function closing(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', () => resolve());
  });
}

async function eventually(check: () => boolean): Promise<void> {
  const until = performance.now() + 5_000;
  while (!check()) {
    if (performance.now() > until) throw new Error('did not happen within 5 s');
    await wait(5);
  }
}

test('it forwards both ways and counts', async () => {
  const { socket, text } = await open();
  socket.write('abc');
  await eventually(() => text() === 're:abc');
  expect([proxy.accepted, proxy.open, proxy.bytesUp, proxy.bytesDown]).toEqual([1, 1, 3, 6]);
  socket.end();
  await eventually(() => proxy.open === 0);
});

test('cut-before-reply: the server has done the work, the client gets a reset and no byte', async () => {
  const { socket, text, closed } = await open();
  proxy.cutReplies(1);
  socket.write('abc');
  await closed;
  expect(received).toBe('abc');
  expect(text()).toBe('');
  expect(proxy.mode).toBe('pass');
  const again = await open();
  again.socket.write('d');
  await eventually(() => again.text() === 're:d');
});

test('a stall holds the bytes in order until it ends', async () => {
  const { socket, text } = await open();
  proxy.setMode('stall');
  socket.write('a');
  await eventually(() => proxy.bytesUp === 1);
  socket.write('b');
  await eventually(() => proxy.bytesUp === 2);
  await wait(50);
  expect(received).toBe('');
  proxy.setMode('pass');
  await eventually(() => text().endsWith('b'));
  expect(received).toBe('ab');
});

test('half-open: bytes vanish, nobody is told, and the connection stays dead', async () => {
  const { socket, text } = await open();
  let ended = false;
  socket.on('close', () => (ended = true));
  socket.on('end', () => (ended = true));
  proxy.setMode('half-open');
  socket.write('a');
  await eventually(() => proxy.bytesUp === 1);
  for (const each of sockets) if (each !== socket) each.destroy();
  proxy.setMode('pass');
  socket.write('b');
  await eventually(() => proxy.bytesUp === 2);
  await wait(50);
  expect([received, text(), ended]).toEqual(['', '', false]);
  const fresh = await open();
  fresh.socket.write('c');
  await eventually(() => fresh.text() === 're:c');
});

test('refuse resets open and new connections; a delay keeps order', async () => {
  const first = await open();
  proxy.setMode('refuse');
  await first.closed;
  const second = connect({ port: proxy.port, host: proxy.host });
  second.on('error', () => undefined);
  await closing(second);
  proxy.setMode('pass');
  proxy.setDelay(60);
  const third = await open();
  const startMs = performance.now();
  third.socket.write('x');
  third.socket.write('y');
  await eventually(() => third.text().replaceAll('re:', '') === 'xy');
  expect(performance.now() - startMs).toBeGreaterThan(100);
});

test('loss delays and reorders nothing: every byte arrives, some much later', async () => {
  proxy.setLoss({ share: 0.3, seed: 7, retransmitMs: 20, deadShare: 0 });
  const { socket, text } = await open();
  const sent = Array.from({ length: 40 }, (_, n) => String.fromCharCode(65 + n));
  const startMs = performance.now();
  for (const [n, letter] of sent.entries()) {
    socket.write(letter);
    // One chunk each, so that each may be lost.
    await eventually(() => proxy.bytesUp === n + 1);
  }
  await eventually(() => received === sent.join(''));
  expect(performance.now() - startMs).toBeGreaterThan(20);
  await eventually(() => text().replaceAll('re:', '') === sent.join(''));
});

test('loss kills a part of new connections: half of those are reset, half are never answered', async () => {
  proxy.setLoss({ share: 0, seed: 3, deadShare: 1 });
  const tried = await Promise.all(Array.from({ length: 20 }, () => open()));
  let reset = 0;
  for (const { socket, closed } of tried) {
    void closed.then(() => (reset += 1));
    socket.write('x');
  }
  await eventually(() => reset > 0 && reset + proxy.open === tried.length);
  expect(received).toBe('');
  expect(proxy.open).toBeGreaterThan(0);
  proxy.setLoss(null);
  const fresh = await open();
  fresh.socket.write('c');
  await eventually(() => fresh.text() === 're:c');
});

test('what a server sent before it closed arrives also when it is delayed', async () => {
  proxy.setDelay(50);
  const { socket, text, closed } = await open();
  socket.end('bye');
  await eventually(() => received === 'bye');
  for (const each of sockets) each.end();
  await closed;
  expect(text()).toBe('re:bye');
  await eventually(() => proxy.open === 0);
});

import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { Agent, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { clientBehind, nameClient } from '../../src/http/client-address.ts';
import { MAX_BODY_BYTES } from '@weir/protocol';
import { ANSWER_MS, Forwarder } from '../../src/http/forwarder.ts';
import { takePeerHeaders } from '../../src/http/peer-header.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { until } from '../support/group-of-consoles.ts';

const STATUS = { failed: 503, 'timed-out': 504, 'too-large': 413 };
const KEY = Buffer.alloc(32, 7);
const clock = new FakeClock();
const open: Server[] = [];
const forwarders: Forwarder[] = [];
afterEach(() => {
  for (const forwarder of forwarders.splice(0)) forwarder.close();
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function listening(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  open.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}

/** A standby before this leader: its address, what passes on, and why requests failed. */
async function standby(leaderUrl: string): Promise<{ url: string; forwarder: Forwarder; reasons: string[] }> {
  const forwarder = new Forwarder(KEY, clock);
  forwarders.push(forwarder);
  const reasons: string[] = [];
  const url = await listening((message, response) => {
    forwarder.forward(message, response, leaderUrl, ({ kind, reason }) => {
      reasons.push(kind === 'failed' ? reason : kind);
      response.writeHead(STATUS[kind]).end();
    });
  });
  return { url, forwarder, reasons };
}

/** Sends a request with exactly these headers and pieces of a body, and returns what the leader got. */
function send(
  url: string,
  method: string,
  headers: Record<string, string>,
  pieces: string[],
  agent?: Agent,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, ...(agent === undefined ? {} : { agent }) });
    sent.on('response', resolve);
    sent.on('error', reject);
    for (const piece of pieces) sent.write(piece);
    sent.end();
  });
}

test('method, path, headers and body arrive as they were sent, and the client is named under a signature', async () => {
  const got: { method: string; path: string; headers: IncomingMessage['headers']; body: string }[] = [];
  const leader = await listening((message: IncomingMessage, response: ServerResponse) => {
    void buffer(message).then((body) => {
      const { method = '', url: path = '', headers } = message;
      got.push({ method, path, headers, body: body.toString() });
      response.setHeader('set-cookie', ['a=1', 'b=2']);
      response.writeHead(201, { 'x-kept': 'yes' }).end('answer');
    });
  });
  const { url } = await standby(leader);
  const path = '/api/v1/a%2Fb/../c?x=%20&y=';
  const answer = await send(url + path, 'POST', { host: 'weir.example', 'x-own': '1', te: 'trailers' }, ['one', 'two']);
  expect(answer.statusCode).toBe(201);
  expect(answer.headers).toMatchObject({ 'x-kept': 'yes', 'set-cookie': ['a=1', 'b=2'] });
  expect(String(await buffer(answer))).toBe('answer');
  for (const method of ['GET', 'DELETE', 'PUT']) {
    await send(`${url}/p`, method, { 'content-length': '0' }, []).then((each) => each.resume());
  }
  const [posted, ...bare] = got;
  expect(posted).toMatchObject({ method: 'POST', body: 'onetwo', headers: { host: 'weir.example', 'x-own': '1' } });
  expect(posted?.headers['te']).toBeUndefined();
  expect(bare.map(({ method, body }) => `${method}:${body}`)).toEqual(['GET:', 'DELETE:', 'PUT:']);
  for (const each of got) {
    expect(takePeerHeaders(KEY, { ...each, headers: { ...each.headers } })).toBe('127.0.0.1');
    expect(takePeerHeaders(Buffer.alloc(32, 8), { ...each, headers: { ...each.headers } })).toBeUndefined();
    expect(takePeerHeaders(KEY, { ...each, path: '/other', headers: { ...each.headers } })).toBeUndefined();
  }
});

test('a client that comes to a standby through a trusted proxy is named to the leader as itself, whatever it writes', async () => {
  const named: (string | undefined)[] = [];
  const leader = await listening(({ method = '', url: path = '', headers }, response) => {
    named.push(takePeerHeaders(KEY, { method, path, headers }));
    response.end();
  });
  const forwarder = new Forwarder(KEY, clock);
  forwarders.push(forwarder);
  for (const trusted of [['127.0.0.0/8', '10.0.0.0/8'], []]) {
    const clientOf = clientBehind(trusted);
    const url = await listening((message, response) => {
      nameClient(message, clientOf(message));
      forwarder.forward(message, response, leader, () => response.writeHead(503).end());
    });
    const forged = { 'x-forwarded-for': '198.51.100.1, 203.0.113.9, 10.0.0.7', 'x-real-ip': '198.51.100.2' };
    await buffer(await send(`${url}/p`, 'GET', forged, []));
  }
  expect(named).toEqual(['203.0.113.9', '127.0.0.1']);
});

test('a leader that is not there is told at once, and one that breaks its answer off breaks off the client too', async () => {
  const gone = await standby('http://127.0.0.1:1');
  expect((await send(`${gone.url}/p`, 'POST', {}, ['body'])).statusCode).toBe(503);
  expect(gone.reasons).toHaveLength(1);
  const half = await standby(
    await listening((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half');
      setTimeout(() => response.destroy(), 20);
    }),
  );
  const answer = await send(`${half.url}/p`, 'GET', {}, []);
  await expect(buffer(answer)).rejects.toThrow('aborted');
  expect(half.forwarder.underWay).toBe(0);
});

test('requests that wait for a leader that was followed are ended, those for the new one are not', async () => {
  let asked = 0;
  const silent = await listening(() => {
    asked += 1;
  });
  const { url, forwarder, reasons } = await standby(silent);
  const answers = [send(`${url}/a`, 'GET', {}, []), send(`${url}/b`, 'POST', {}, ['x'])];
  await until('both wait', () => asked === 2);
  forwarder.abandonAllBut(silent, 'another');
  expect(reasons).toEqual([]);
  forwarder.abandonAllBut('http://127.0.0.1:2', 'another');
  for (const answer of answers) expect((await answer).statusCode).toBe(503);
  expect(reasons).toEqual(['another', 'another']);
  expect(forwarder.underWay).toBe(0);
});

test('a client that hangs up is hung up on at the leader', async () => {
  let closed = 0;
  let asked = 0;
  const silent = await listening((message) => {
    asked += 1;
    message.on('close', () => {
      closed += 1;
    });
  });
  const { url, forwarder } = await standby(silent);
  const given = request(`${url}/p`);
  given.on('error', () => undefined);
  given.end();
  await until('the leader is asked', () => asked === 1);
  given.destroy();
  await until('the leader knows', () => closed === 1);
  expect(forwarder.underWay).toBe(0);
});

test('a body that looks like a request is a body to the leader too, whatever the client says of its connection', async () => {
  const got: string[] = [];
  const leader = await listening((message, response) => {
    void buffer(message).then((body) => {
      got.push(`${message.method} ${message.url} ${message.headers.host} ${body.length}`);
      response.end();
    });
  });
  const { url } = await standby(leader);
  const inner = 'GET /hidden HTTP/1.1\r\nhost: weir.example\r\n\r\n';
  const framed: Record<string, string>[] = [
    { 'content-length': String(inner.length), connection: 'content-length, host' },
    { 'transfer-encoding': 'chunked', connection: 'Transfer-Encoding' },
    { 'content-length': String(inner.length), connection: 'upgrade, content-length', upgrade: 'websocket' },
  ];
  for (const method of ['GET', 'DELETE', 'POST']) {
    for (const headers of framed) {
      const answer = await send(`${url}/open`, method, { host: 'weir.example', ...headers }, [inner]);
      await buffer(answer);
    }
  }
  // What came after them over the same connections would have been read by now.
  await send(`${url}/last`, 'GET', { host: 'weir.example' }, []).then(buffer);
  const expected = ['GET', 'DELETE', 'POST'].flatMap((method) =>
    framed.map(() => `${method} /open weir.example ${inner.length}`),
  );
  expect(got).toEqual([...expected, 'GET /last weir.example 0']);
});

test('a leader that has a request and does not begin to answer is not waited for longer than any answer takes', async () => {
  let asked = 0;
  let aborted = 0;
  let begun: ServerResponse | undefined;
  const slow = await listening((message, response) => {
    message.resume();
    message.on('end', () => {
      asked += 1;
      if (message.url !== '/begins') return;
      response.write('the first part');
      begun = response;
    });
    response.on('close', () => {
      aborted += 1;
    });
  });
  const { url, forwarder, reasons } = await standby(slow);
  const silent = send(`${url}/silent`, 'POST', {}, ['body']);
  const streamed = await send(`${url}/begins`, 'GET', {}, []);
  await until('both are asked', () => asked === 2);
  await clock.advance(ANSWER_MS - 1);
  expect(reasons).toEqual([]);
  await clock.advance(1);
  expect((await silent).statusCode).toBe(504);
  await until('the leader knows that nobody waits', () => aborted === 1);
  expect([reasons, forwarder.underWay]).toEqual([['timed-out'], 1]);
  await clock.advance(10 * ANSWER_MS);
  begun?.end(' and the last');
  expect(String(await buffer(streamed))).toBe('the first part and the last');
  expect(clock.waiting).toBe(0);
});

test('a body of unknown length that turns out too large is refused, its connection goes on, and nothing stays behind', async () => {
  let most = 0;
  let ended = 0;
  const leader = await listening((message, response) => {
    let bytes = 0;
    message.on('data', (piece: Buffer) => {
      bytes += piece.length;
      most = Math.max(most, bytes);
    });
    message.on('close', () => {
      ended += 1;
    });
    message.on('end', () => response.end('whole'));
  });
  const { url, forwarder, reasons } = await standby(leader);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const pieces = Array.from({ length: 40 }, () => 'x'.repeat(65_536));
  const large = await send(`${url}/large`, 'POST', {}, pieces, agent);
  expect(large.statusCode).toBe(413);
  await buffer(large);
  expect([reasons, forwarder.underWay]).toEqual([['too-large'], 0]);
  const fits = await send(`${url}/fits`, 'POST', {}, ['x'.repeat(MAX_BODY_BYTES)], agent);
  expect(String(await buffer(fits))).toBe('whole');
  await until('the leader is rid of both', () => ended === 2);
  expect(most).toBe(MAX_BODY_BYTES);
  expect(clock.waiting).toBe(0);
  agent.destroy();
});

test('a leader that refuses before it has read the body leaves the connection of the client usable', async () => {
  const leader = await listening((message, response) => {
    if (message.url === '/refused') response.writeHead(401, { connection: 'close' }).end('no');
    else response.end('yes');
  });
  const { url, forwarder } = await standby(leader);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const refused = request(`${url}/refused`, { method: 'POST', agent });
  refused.write('begin');
  const answer = await new Promise<IncomingMessage>((resolve) => void refused.once('response', resolve));
  expect(answer.statusCode).toBe(401);
  await buffer(answer);
  refused.end('x'.repeat(500_000));
  expect(String(await buffer(await send(`${url}/next`, 'GET', {}, [], agent)))).toBe('yes');
  expect([forwarder.underWay, clock.waiting]).toEqual([0, 0]);
  agent.destroy();
});

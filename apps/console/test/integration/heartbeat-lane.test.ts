import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { enrolAgent } from '../../src/actions/enrol-agent.ts';
import { HeartbeatLane } from '../../src/http/heartbeat-lane.ts';
import { ConsoleMetrics } from '../../src/http/metrics.ts';
import { codeOf, heartbeat, HttpConsole } from '../support/running-console.ts';
import { silentLogger, TestConsole } from '../support/test-console.ts';

const PATH = '/api/v1/agent/heartbeat';
/** The lane takes the plain one; the other goes by the framework from the first. */
const LANE = 'application/json';
const FRAMEWORK = 'application/json; charset=utf-8';

let console: HttpConsole;
let bearer: string;

beforeAll(async () => {
  console = await HttpConsole.start();
  bearer = (await console.enrol()).credential;
});
afterAll(() => console.stop());

const send = (type: string, body: unknown, credential = bearer) =>
  console.call('POST', PATH, { bearer: credential, body, headers: { 'content-type': type } });

test('a heartbeat that passes the framework is answered with the same headers and fields', async () => {
  const [lane, framework] = [await send(LANE, heartbeat()), await send(FRAMEWORK, heartbeat())];
  expect(lane.status).toBe(200);
  const { date: _d, ...ofLane } = Object.fromEntries(lane.headers);
  const { date: _e, ...ofFramework } = Object.fromEntries(framework.headers);
  expect(ofLane).toEqual(ofFramework);
  expect({ ...lane.body, consoleTimeMs: 0 }).toEqual({ ...framework.body, consoleTimeMs: 0 });
});

test.each([
  ['nothing', ''],
  ['half an object', '{'],
  ['no object', '[]'],
  ['a field that is not known', heartbeat({ mood: 'fine' })],
  ['a field of another kind', heartbeat({ runningJobs: -1 })],
  ['a name that reaches a prototype', '{"__proto__":{"a":1}}'],
  ['the same inside', JSON.stringify(heartbeat()).replace('"usage":null', '"usage":{"__proto__":{"a":1}}')],
  ['the same in escapes', '{"\\u005f_proto__":{"a":1}}'],
  ['a constructor', '{"constructor":{"prototype":{"a":1}}}'],
  ['more than any report', heartbeat({ host: 'x'.repeat(20_000) })],
  ['more than the console reads', heartbeat({ host: 'x'.repeat(1_100_000) })],
  ['a protocol that is too new', heartbeat({ protocolVersion: 99, mood: 'fine' })],
])('a heartbeat with %s is refused in the words of the framework', async (_, body) => {
  const [lane, framework] = [await send(LANE, body), await send(FRAMEWORK, body)];
  expect(lane.status).toBeGreaterThanOrEqual(400);
  expect([lane.status, lane.body]).toEqual([framework.status, framework.body]);
});

test('a credential that is not known is refused in the words of the framework', async () => {
  const [lane, framework] = [await send(LANE, heartbeat(), 'x'), await send(FRAMEWORK, heartbeat(), 'x')];
  expect(codeOf(lane)).toBe('wrong-credentials');
  expect(lane.body).toEqual(framework.body);
});

test('what the console finds out while it works out the answer is said in the form of the wire', async () => {
  const { credential } = await console.enrol('twice');
  for (const bootId of ['boot-1', 'boot-2']) await send(LANE, heartbeat({ bootId }), credential);
  const refused = await send(LANE, heartbeat({ bootId: 'boot-1' }), credential);
  expect([refused.status, codeOf(refused)]).toEqual([401, 'wrong-credentials']);
  expect(refused.headers.get('x-content-type-options')).toBe('nosniff');
});

test('a name in any script arrives as it was sent, whole or in pieces of which one ends inside a letter', async () => {
  const text = Buffer.from(JSON.stringify(heartbeat({ host: 'größe-大-😀' })));
  for (const cut of [0, text.indexOf('大') + 1]) {
    const sent = httpRequest(console.url + PATH, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': LANE, 'content-length': text.length },
    });
    sent.setNoDelay(true);
    sent.write(text.subarray(0, cut));
    // The first piece has to be on its way alone.
    if (cut > 0) await once(sent, 'socket').then(([socket]) => new Promise((done) => socket.write('', done)));
    sent.end(text.subarray(cut));
    const [answer]: IncomingMessage[] = await once(sent, 'response');
    expect(answer?.statusCode).toBe(200);
    answer?.resume();
  }
  const cookie = await console.login();
  const { agents } = (await console.call('GET', '/api/v1/agents', { cookie })).body;
  expect(agents.map(({ host }: { host: string }) => host)).toContain('größe-大-😀');
});

test('an agent that goes away in the middle of its heartbeat, or sends several at once, disturbs nobody', async () => {
  const { hostname, port } = new URL(console.url);
  const body = JSON.stringify(heartbeat());
  const head = `POST ${PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${bearer}\r\nContent-Type: ${LANE}\r\n`;
  const whole = `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
  const gone = connect(Number(port), hostname);
  await once(gone, 'connect');
  await new Promise((done) => gone.write(whole.slice(0, -5), done));
  gone.destroy();
  const several = connect(Number(port), hostname);
  several.write(whole.repeat(3));
  let answers = '';
  while (answers.split('HTTP/1.1 200 OK').length <= 3) answers += String((await once(several, 'data'))[0]);
  several.destroy();
  expect((await send(LANE, heartbeat())).status).toBe(200);
});

/** Heartbeats that the metrics have timed. */
async function timed(): Promise<number> {
  const { text } = await console.call('GET', '/metrics', { bearer: console.running.metricsToken });
  const name = `weir_http_request_seconds_count{route="${PATH}",status="2xx"`;
  const line = text.split('\n').find((each) => each.startsWith(name));
  return Number(line?.split(' ').at(-1) ?? 0);
}

test('heartbeats are counted and timed as every other call', async () => {
  const before = await timed();
  await send(LANE, heartbeat());
  expect(await timed()).toBe(before + 1);
});

test.each([
  ['that lost the lead meanwhile gives no answer', { leads: () => false }, 'no-leader'],
  ['that is stopping begins nothing', { closing: () => true }, 'untouched'],
])('a console %s', async (_, state, expected) => {
  const alone = await TestConsole.start();
  const { credential } = await enrolAgent(alone.context, { name: 'a', host: 'h', version: '1', protocolVersion: 1 });
  const lane: HeartbeatLane = new HeartbeatLane(alone.context, {
    metrics: new ConsoleMetrics(),
    logger: silentLogger,
    https: false,
    closing: () => false,
    leads: () => true,
    // Stands for the framework: says what it was given.
    framework(request, response) {
      try {
        response.end(lane.callerOf(request) === undefined ? 'untouched' : 'caller');
      } catch (error) {
        response.end(error instanceof Error && 'code' in error ? error.code : String(error));
      }
    },
    ...state,
  });
  const server = createServer(lane.answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a TCP server has such an address
  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}${PATH}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credential}`, 'content-type': LANE },
    body: JSON.stringify(heartbeat()),
  });
  expect(await answer.text()).toBe(expected);
  server.closeAllConnections();
  server.close();
  await alone.stop();
});

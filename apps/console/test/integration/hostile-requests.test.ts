import { request } from 'node:http';
import { errorBody, routes, type Route } from '@weir/protocol';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hostile, hostileSegment } from '../support/hostile-values.ts';
import { ACCOUNTS, heartbeat, HttpConsole } from '../support/running-console.ts';

/** Requests per route. */
const RUNS = 20;
/** Fixed, so that a failure happens again; WEIR_FUZZ_SEED tries another. */
const SEED = Number(process.env['WEIR_FUZZ_SEED'] ?? 20_261_130);

/** What no answer may contain: where the console's files are, and what it was running. */
const INSIDES = /node_modules|\.ts:\d|\.js:\d|at \w+ \(|SQLITE_|SqliteError|TypeError|RangeError|ZodError/;

let console: HttpConsole;
let cookie: string;
let credential: string;
/** Identifiers of things that exist, and of one that does not. */
const known: string[] = ['nothing-1', 'memory', 'viewer'];

beforeAll(async () => {
  console = await HttpConsole.start({ accounts: ACCOUNTS });
  cookie = await console.login();
  const agent = await console.enrol();
  credential = agent.credential;
  known.push(agent.agentId, await console.job(cookie));
  await console.call('POST', '/api/v1/agent/heartbeat', { bearer: credential, body: heartbeat() });
  const work = await console.call('POST', '/api/v1/agent/claims', { bearer: credential, body: { waitSeconds: 5 } });
  known.push(work.body.assignment.shardId, work.body.assignment.leaseId);
  for (const { endpointId } of (await console.call('GET', '/api/v1/endpoints', { cookie })).body.endpoints) {
    known.push(endpointId);
  }
  const quota = { storeId: 'memory', quota: 'q', limit: 5, period: { unit: 'minute', count: 1 } };
  known.push((await console.call('POST', '/api/v1/quotas', { cookie, body: quota })).body.definitionId);
});
afterAll(() => console.stop());

interface Sent {
  path: string;
  body: unknown;
}

/** Sends a path as it is: `fetch` would tidy it up. */
function send(
  method: string,
  { path, body }: Sent,
  headers: Record<string, string>,
): Promise<[number, string, string]> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const { hostname, port } = new URL(console.url);
  return new Promise((resolve, reject) => {
    const sent = request({
      hostname,
      port,
      method,
      path,
      headers: { ...headers, ...(text && { 'content-type': 'application/json' }) },
    });
    sent.on('response', (answer) => {
      let received = '';
      answer.setEncoding('utf8');
      answer.on('data', (part: string) => (received += part));
      answer.on('end', () => resolve([answer.statusCode ?? 0, answer.headers['content-type'] ?? '', received]));
    });
    sent.on('error', reject);
    sent.end(text);
  });
}

function authOf({ auth }: Route): Record<string, string> {
  if (auth === 'public') return {};
  if (auth === 'agent') return { authorization: `Bearer ${credential}` };
  if (auth === 'enrolment') return { authorization: `Bearer ${console.running.enrolmentToken}` };
  return { cookie };
}

function requestFor(route: Route): fc.Arbitrary<Sent> {
  const path = route.path
    .split('/')
    .map((part) =>
      part.startsWith(':')
        ? hostileSegment(part === ':action' ? ['pause', 'resume', 'retry'] : known)
        : fc.constant(part),
    );
  const query = fc.oneof(
    { weight: 2, arbitrary: fc.constant('') },
    fc.constantFrom(
      '?limit=1',
      '?limit=1&limit=2',
      '?limit=-1',
      '?limit=1e9',
      '?limit[]=1',
      '?__proto__=1',
      '?%00=%',
      '?range=hour',
      '?rows=0&revoked=%00&name=%F0%9F',
      '?search=%2A%2A',
      `?x=${'y'.repeat(3_000)}`,
    ),
  );
  return fc.record({
    path: fc.tuple(fc.tuple(...path), query).map(([parts, asked]) => parts.join('/') + asked),
    body: hostile(route.body, known),
  });
}

/** Logging out would end the session that the other calls use. */
const table = Object.entries<Route>(routes).filter(([name]) => name !== 'logout');

test.each(table)(
  '%s answers hostile requests in the form of the wire, and never fails',
  async (name, route) => {
    const auth = authOf(route);
    const sendOne = async (sent: Sent) => {
      if (name === 'claim' && typeof sent.body === 'object' && sent.body !== null) {
        Object.assign(sent.body, { waitSeconds: 0 });
      }
      const [status, type, text] = await send(route.method, sent, auth);
      // Held against one object, so that a failure shows the answer.
      const answer = { status, type, text: text.slice(0, 600) };
      if (status < 400) return;
      expect(answer).toMatchObject({ type: expect.stringContaining('application/json') });
      const { error } = errorBody.safeParse(JSON.parse(text));
      const failed = status >= 500 && status !== 503;
      expect({ ...answer, failed, error }).toMatchObject({ failed: false, error: undefined });
      expect(text).not.toMatch(INSIDES);
    };
    await fc.assert(fc.asyncProperty(requestFor(route), sendOne), { seed: SEED, numRuns: RUNS });
  },
  30_000,
);

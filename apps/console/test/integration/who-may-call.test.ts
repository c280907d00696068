import { ROLES, routes, type Route, type RouteAuth } from '@weir/protocol';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ACCOUNTS, codeOf, HttpConsole, type Sent } from '../support/running-console.ts';

type Credential =
  | 'none'
  | 'viewer'
  | 'operator'
  | 'admin'
  | 'agent'
  | 'revoked agent'
  | 'enrolment'
  | 'wrong bearer'
  | 'wrong cookie';
const CREDENTIALS: readonly Credential[] = [
  'none',
  'viewer',
  'operator',
  'admin',
  'agent',
  'revoked agent',
  'enrolment',
  'wrong bearer',
  'wrong cookie',
];

let console: HttpConsole;
const sent = new Map<Credential, Sent>();

beforeAll(async () => {
  console = await HttpConsole.start({ accounts: ACCOUNTS });
  sent.set('none', {});
  const admin = await console.login('admin');
  for (const role of ROLES) sent.set(role, { cookie: await console.login(role) });
  sent.set('agent', { bearer: (await console.enrol('kept')).credential });
  const revoked = await console.enrol('revoked');
  await console.call('POST', `/api/v1/agents/${revoked.agentId}/revoke`, { cookie: admin });
  sent.set('revoked agent', { bearer: revoked.credential });
  sent.set('enrolment', { bearer: console.running.enrolmentToken });
  sent.set('wrong bearer', { bearer: 'x'.repeat(43) });
  sent.set('wrong cookie', { cookie: `weir_session=${'x'.repeat(43)}` });
});
afterAll(() => console.stop());

/** What the table promises: undefined when the caller gets through to validation. */
function refusal(auth: RouteAuth, credential: Credential): string | undefined {
  if (auth === 'public') return undefined;
  if (auth === 'enrolment') {
    if (credential === 'enrolment') return undefined;
    return ['agent', 'revoked agent', 'wrong bearer'].includes(credential)
      ? 'wrong-enrolment-token'
      : 'unauthenticated';
  }
  if (auth === 'agent') {
    if (credential === 'agent') return undefined;
    if (credential === 'revoked agent') return 'agent-revoked';
    return ['enrolment', 'wrong bearer'].includes(credential) ? 'wrong-credentials' : 'unauthenticated';
  }
  const rank = ROLES.findIndex((role) => role === credential);
  if (rank < 0) return 'unauthenticated';
  return rank < ROLES.indexOf(auth) ? 'forbidden' : undefined;
}

const all: [string, Route][] = Object.entries(routes);
// Logging out ends the session that the other calls use, so it comes last and with a session of its own.
const table = all.filter(([name]) => name !== 'logout');
const cases = table.flatMap(([name, route]) => CREDENTIALS.map((credential) => [name, credential, route] as const));

test.each(cases)('%s with %s', async (_name, credential, route) => {
  const path = route.path.replace(':action', 'pause').replaceAll(/:\w+/g, 'x1');
  // An empty object is no valid body of any route that changes something, so nothing happens to those who get through.
  const body = route.body === undefined ? {} : { body: {} };
  const answer = await console.call(route.method, path, { ...sent.get(credential), ...body });
  const expected = refusal(route.auth, credential);
  const refusedAtTheDoor = answer.status === 401 || answer.status === 403;
  expect({ code: refusedAtTheDoor ? codeOf(answer) : undefined }).toEqual({ code: expected });
  expect(answer.status).not.toBe(500);
});

test('every route of the table is registered', async () => {
  const { paths } = (await console.call('GET', '/docs/json')).body;
  for (const [name, route] of all) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    expect(paths[path]?.[route.method.toLowerCase()]?.operationId).toBe(name);
  }
});

test('a session ends when its person logs out, and only that one', async () => {
  const [first, second] = [await console.login('viewer'), await console.login('viewer')];
  expect((await console.call('DELETE', '/api/v1/session', { cookie: first })).status).toBe(200);
  expect(codeOf(await console.call('GET', '/api/v1/session', { cookie: first }))).toBe('unauthenticated');
  expect((await console.call('GET', '/api/v1/session', { cookie: second })).body).toEqual({
    username: 'viewer',
    role: 'viewer',
  });
});

test('logging out needs a session', async () => {
  for (const credential of ['none', 'agent', 'enrolment'] as const) {
    expect(codeOf(await console.call('DELETE', '/api/v1/session', sent.get(credential)))).toBe('unauthenticated');
  }
});

test('metrics are for viewers and for the holder of the metrics token', async () => {
  const get = async (how: Sent) => (await console.call('GET', '/metrics', how)).status;
  expect(await get({})).toBe(401);
  expect(await get({ bearer: 'x'.repeat(43) })).toBe(401);
  expect(await get(sent.get('agent') ?? {})).toBe(401);
  expect(await get({ bearer: console.running.metricsToken })).toBe(200);
  expect(await get(sent.get('viewer') ?? {})).toBe(200);
});

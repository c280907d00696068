import { readFile, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FakeClock } from '../support/fake-clock.ts';
import { ACCOUNTS, codeOf, cookieOf, heartbeat, HttpConsole, PASSWORDS } from '../support/running-console.ts';

const clock = new FakeClock();
let console: HttpConsole;
let cookie: string;
beforeAll(async () => {
  console = await HttpConsole.start({ accounts: ACCOUNTS }, clock);
  cookie = await console.login();
});
afterAll(() => console.stop());

const settings = {
  enabled: true,
  globalLimitTps: 1_000,
  transactionTypes: { LIST: true, GET: true, PUT: true, DELETE: false },
  alarmThresholdPercent: 95,
};
const attempt = (username: string, password: string) =>
  console.call('POST', '/api/v1/session', { body: { username, password } });
const put = (body: unknown, headers: Record<string, string> = {}) =>
  console.call('PUT', '/api/v1/settings/governor', { cookie, body, headers });

test('the first start makes a private directory and private files', async () => {
  const data = join(console.dir, 'data');
  expect((await stat(data)).mode & 0o777).toBe(0o700);
  for (const file of ['secrets.json', 'weir.db', 'weir.db-wal']) {
    expect((await stat(join(data, file))).mode & 0o777).toBe(0o600);
  }
  expect(JSON.parse(await readFile(join(data, 'secrets.json'), 'utf8')).enrolmentToken).toBe(
    console.running.enrolmentToken,
  );
});

test('the session cookie cannot be read by scripts and is not sent by other sites', async () => {
  const answer = await console.call('POST', '/api/v1/session', {
    body: { username: 'viewer', password: PASSWORDS.viewer },
  });
  const attributes = answer.headers.get('set-cookie') ?? '';
  expect(attributes).toContain('HttpOnly');
  expect(attributes).toContain('SameSite=Strict');
  expect(attributes).toContain('Path=/');
  expect(attributes).toContain('Max-Age=43200');
});

test.each([
  ['another site', { 'sec-fetch-site': 'cross-site' }],
  ['a sister site', { 'sec-fetch-site': 'same-site' }],
  ['an origin of another host', { origin: 'http://evil.example' }],
  ['an opaque origin', { origin: 'null' }],
])('a change that comes from %s is refused', async (_what, headers) => {
  const version = (await console.call('GET', '/api/v1/settings/governor', { cookie })).body.version;
  expect(codeOf(await put(settings, headers))).toBe('cross-site-request');
  const login = { body: { username: 'viewer', password: PASSWORDS.viewer }, headers };
  expect(codeOf(await console.call('POST', '/api/v1/session', login))).toBe('cross-site-request');
  expect((await console.call('GET', '/api/v1/settings/governor', { cookie })).body.version).toBe(version);
});

test('a change from a page of the console itself passes', async () => {
  expect((await put(settings, { 'sec-fetch-site': 'same-origin', origin: console.url })).status).toBe(200);
});

test('only JSON is read', async () => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
    const answer = await put(JSON.stringify(settings), { 'content-type': type });
    expect({ status: answer.status, code: codeOf(answer) }).toEqual({ status: 415, code: 'bad-request' });
  }
});

test.each(['/healthz', '/api/v1/nothing', '/docs/', '/api/v1/session'])(
  '%s carries the security headers',
  async (path) => {
    const { headers } = await console.call('GET', path);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/script-src[^;]*unsafe/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  },
);

test('every problem of the input is named with field, value and remedy', async () => {
  const answer = await put({ ...settings, globalLimitTps: 'abc', alarmThresholdPercent: 101, colour: 'red' });
  expect(answer.status).toBe(400);
  expect(answer.body.error).toMatchObject({
    code: 'validation-failed',
    fields: [
      { field: 'globalLimitTps', value: 'abc', problem: 'must be a whole number of TPS, for example 10000' },
      { field: 'alarmThresholdPercent', value: '101', problem: 'must be at most 100 percent' },
      { field: 'colour', problem: 'is not a known field: remove it or check its spelling' },
    ],
  });
});

test('a limit of 40 becomes 100', async () => {
  expect((await put({ ...settings, globalLimitTps: 40 })).body.settings.globalLimitTps).toBe(100);
});

test.each([
  ['POST', '/api/v1/session', '{"username":', 400, 'bad-request'],
  ['POST', '/api/v1/session', '', 400, 'bad-request'],
  ['POST', '/api/v1/session', 'null', 400, 'validation-failed'],
  ['POST', '/api/v1/session', '{"__proto__":{}}', 400, 'bad-request'],
  ['POST', '/api/v1/session', JSON.stringify({ username: 'x'.repeat(1_100_000) }), 413, 'payload-too-large'],
  ['GET', '/api/v1/jobs/%E0%A4%A', undefined, 400, 'bad-request'],
  ['GET', '/api/v1/jobs/NOT-AN-ID', undefined, 400, 'validation-failed'],
  ['GET', '/api/v1/jobs?limit=0', undefined, 400, 'validation-failed'],
  ['GET', '/api/v1/agents?rows=2001', undefined, 400, 'validation-failed'],
  ['GET', '/api/v1/agents?revoked=yes', undefined, 400, 'validation-failed'],
  ['POST', '/api/v1/jobs/job_1/explode', undefined, 400, 'validation-failed'],
  ['PATCH', '/api/v1/jobs', '{}', 404, 'not-found'],
  ['GET', '/api/v2/jobs', undefined, 404, 'not-found'],
])('%s %s answers in the one form of errors', async (method, path, body, status, code) => {
  const sent = { cookie, ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }) };
  const answer = await console.call(method, path, sent);
  expect({ status: answer.status, code: codeOf(answer) }).toEqual({ status, code });
  expect(answer.body.error.message.length).toBeGreaterThan(10);
});

test('what is not HTTP is answered in the same form, and its connection closed', async () => {
  const text = await new Promise<string>((resolve) => {
    let received = '';
    const socket = connect(Number(new URL(console.url).port), '127.0.0.1', () => socket.write('NONSENSE\r\n\r\n'));
    socket.on('data', (bytes) => (received += String(bytes)));
    socket.on('close', () => resolve(received));
  });
  expect(text).toMatch(/^HTTP\/1\.1 400 /);
  expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '').error.code).toBe('bad-request');
});

test('the sixth attempt to log in within a minute is refused, for this user only, until the minute is over', async () => {
  for (let n = 0; n < 5; n += 1) expect(codeOf(await attempt('operator', 'guess'))).toBe('wrong-credentials');
  const refused = await attempt('operator', PASSWORDS.operator);
  expect(refused.status).toBe(429);
  expect(refused.body.error).toMatchObject({ code: 'too-many-requests', retryAfterMs: 60_000 });
  expect(refused.headers.get('retry-after')).toBe('60');
  expect((await attempt('viewer', PASSWORDS.viewer)).status).toBe(200);
  await clock.advance(60_000);
  expect((await attempt('operator', PASSWORDS.operator)).status).toBe(200);
});

test('a wrong user name is answered like a wrong password', async () => {
  const answers = await Promise.all(
    ['nobody', 'admin'].map((username) =>
      console.call('POST', '/api/v1/session', { body: { username, password: 'wrong' } }),
    ),
  );
  expect(answers[0]?.text).toBe(answers[1]?.text);
});

test('a session expires after twelve hours', async () => {
  const short = await console.login('viewer');
  const who = () => console.call('GET', '/api/v1/session', { cookie: short });
  await clock.advance(12 * 3_600_000 - 1_000);
  expect((await who()).status).toBe(200);
  await clock.advance(1_000);
  expect(codeOf(await who())).toBe('unauthenticated');
});

test('a heartbeat with a field that is not known is refused', async () => {
  const { credential } = await console.enrol('strict');
  const answer = await console.call('POST', '/api/v1/agent/heartbeat', {
    bearer: credential,
    body: heartbeat({ mood: 'fine' }),
  });
  expect(answer.body.error.fields).toMatchObject([{ field: 'mood' }]);
});

test('a password given at a later start replaces the old one and ends its sessions', async () => {
  const old = await console.login('viewer');
  await console.restart({ accounts: [{ username: 'viewer', role: 'viewer', password: 'another-password' }] }, clock);
  expect(codeOf(await console.call('GET', '/api/v1/session', { cookie: old }))).toBe('unauthenticated');
  const body = { username: 'viewer', password: 'another-password' };
  expect(cookieOf(await console.call('POST', '/api/v1/session', { body }))).toContain('weir_session=');
});

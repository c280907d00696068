import { afterAll, beforeAll, expect, test } from 'vitest';
import { FakeClock } from '../support/fake-clock.ts';
import { codeOf, heartbeat, HttpConsole } from '../support/running-console.ts';

/** Wrong tokens that one address may show in a minute. */
const WRONG_PER_MINUTE = 300;

let console: HttpConsole;
const clock = new FakeClock();
beforeAll(async () => {
  console = await HttpConsole.start({}, clock);
});
afterAll(() => console.stop());

test('guessing tokens is slowed for its address, whatever the tokens are for, while right ones go on', async () => {
  const { credential } = await console.enrol('a');
  const body = heartbeat();
  const guesses = [
    () => console.call('POST', '/api/v1/agent/heartbeat', { bearer: 'x'.repeat(43), body }),
    () => console.call('POST', '/api/v1/agent/enrol', { bearer: 'x'.repeat(43), body: {} }),
    () => console.call('GET', '/metrics', { bearer: 'x'.repeat(43) }),
  ];
  for (let n = 0; n < WRONG_PER_MINUTE; n += 1) expect((await guesses[n % 3]?.())?.status).toBe(401);
  for (const guess of guesses) {
    const refused = await guess();
    expect([refused.status, codeOf(refused), refused.headers.get('retry-after')]).toEqual([
      429,
      'too-many-requests',
      '60',
    ]);
  }
  const right = await console.call('POST', '/api/v1/agent/heartbeat', { bearer: credential, body });
  expect(right.status).toBe(200);
  expect((await console.enrol('b')).credential).toBeTruthy();
  await clock.advance(60_000);
  expect((await guesses[0]?.())?.status).toBe(401);
}, 30_000);

test('an agent that calls without end is told to wait, and heard again in the next minute', async () => {
  const { credential } = await console.enrol('c');
  const beat = () => console.call('POST', '/api/v1/agent/heartbeat', { bearer: credential, body: '{' });
  let answer = await beat();
  for (let n = 1; n < 7_000 && answer.status !== 429; n += 50) {
    const batch = await Promise.all(Array.from({ length: 50 }, beat));
    answer = batch.find(({ status }) => status === 429) ?? answer;
  }
  expect(codeOf(answer)).toBe('too-many-requests');
  await clock.advance(60_000);
  expect(
    (await console.call('POST', '/api/v1/agent/heartbeat', { bearer: credential, body: heartbeat() })).status,
  ).toBe(200);
}, 60_000);

test('the long description of the API is not sent again and again to one address', async () => {
  await clock.advance(60_000);
  const read = () => console.call('GET', '/docs');
  for (let n = 0; n < 120; n += 1) expect((await read()).status).toBe(200);
  expect((await read()).status).toBe(429);
  expect(codeOf(await console.call('GET', '/docs/json'))).toBe('too-many-requests');
  expect((await console.call('GET', '/api/v1/info')).status).toBe(200);
  await clock.advance(60_000);
  expect((await read()).status).toBe(200);
}, 30_000);

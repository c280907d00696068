import { fileURLToPath } from 'node:url';
import { startRgw } from '@weir/testkit/s3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectObedience, sharedRate } from '../../aws-sdk-agent/test/obeys.ts';
import { LIMIT_TPS, Stage } from '../../aws-sdk-agent/test/stage.ts';
import { signed } from '../sign.ts';

const FOLDER = fileURLToPath(new URL('..', import.meta.url));
const CONCURRENCY = 16;
const LINES = 450;

let stage: Stage;
beforeAll(async () => {
  // Checks signatures and their dates, which a stand-in would not.
  stage = await Stage.start(await startRgw());
});
afterAll(() => stage.stop());

const s3 = (method: string, path: string, key: Partial<typeof stage.server> = {}) =>
  fetch(signed(new Request(`${stage.server.url}${path}`, { method }), { ...stage.server, ...key }, new Date()));

test('two programs that know only fetch share the budget, and no window holds more than its credits', async () => {
  const names = ['first', 'second'];
  for (const name of names) expect((await s3('PUT', `/${name}`)).status).toBe(200);
  const input = Array.from({ length: LINES }, (_, n) => `text ${n + 1}\n`).join('');

  const programs = await Promise.all(
    names.map((name) => stage.run(FOLDER, { name, args: [name], concurrency: CONCURRENCY, input })),
  );

  for (const program of programs) {
    expect(program.exitCode).toBe(0);
    expect(program.arrivals).toHaveLength(LINES);
    expectObedience(program, program.arrivals, CONCURRENCY);
  }
  expect(sharedRate(programs)).toBeLessThanOrEqual(1.1 * LIMIT_TPS);
  for (const name of names) {
    const listing = await (await s3('GET', `/${name}?list-type=2&prefix=line%20`)).text();
    expect(listing.match(/<Contents>/g)).toHaveLength(LINES);
    expect(await (await s3('GET', `/${name}/line%20450.txt`)).text()).toBe('text 450');
  }
  await expect.poll(() => stage.charged(), { timeout: 10_000 }).toBe(2 * LINES);
});

test('the server does check the signature', async () => {
  expect((await s3('GET', '/first?list-type=2', { secretAccessKey: 'wrong' })).status).toBe(403);
  expect((await s3('GET', "/first/a%20'(b)*?versionId=null")).status).toBe(404);
});

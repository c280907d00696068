import { startFaultProxy, type FaultProxy } from '@weir/testkit/network';
import { PROTOCOL_VERSION } from '@weir/protocol';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startConsole } from '../../src/index.ts';
import { MIGRATIONS } from '../../src/storage/sql/migrations.ts';
import { FakeProbe } from '../support/fake-probe.ts';
import { Group, until } from '../support/group-of-consoles.ts';
import { codeOf, heartbeat, type HttpConsole } from '../support/running-console.ts';

/** Of the version after this one. */
const NEWER = [...MIGRATIONS, 'alter table states add column of_the_future text;'];

let group: Group;
let proxy: FaultProxy;
beforeAll(async () => {
  group = await Group.start();
  proxy = await startFaultProxy({ port: group.redis.port });
});
afterAll(async () => {
  await group.stop();
  await proxy.close();
});

const databaseVersion = async (): Promise<number> =>
  Number(await group.postgres.program('psql', '-d', 'weir', '-qtAc', 'select version from weir_database'));

const said = (console: HttpConsole, words: string): number =>
  console.logs.filter((line) => line.includes(words)).length;

/** What agents of the version before, and of this one, are answered. */
async function heard(console: HttpConsole, credentials: readonly string[]): Promise<number[]> {
  const answers = [];
  for (const [n, bearer] of credentials.entries()) {
    const body = heartbeat({ protocolVersion: PROTOCOL_VERSION - n, bootId: `boot-${n}` });
    answers.push((await console.call('POST', '/api/v1/agent/heartbeat', { bearer, body })).status);
  }
  return answers;
}

const leads = (console: HttpConsole) => (): boolean => console.running.seat()?.seat === 'leader';

test('a rolling upgrade: an older console leads until a newer one takes over, and never again; agents of two versions go on', async () => {
  const old = await group.console('old');
  const away = group.redisUrl.replace(String(group.redis.port), String(proxy.port));
  const older = await group.console('older', { redisUrl: away });
  const newer = await group.console('newer', {}, NEWER);
  const credentials = [(await old.enrol('of-today')).credential, (await old.enrol('of-yesterday')).credential];

  expect(await databaseVersion()).toBe(MIGRATIONS.length);
  expect(said(newer, 'brings it forward when it leads and not before')).toBe(1);
  for (const console of [old, older, newer]) expect(await heard(console, credentials)).toEqual([200, 200]);

  proxy.setMode('refuse');
  await old.running.stop();
  await until('the newer one leads', leads(newer));
  expect(await databaseVersion()).toBe(NEWER.length);
  proxy.setMode('pass');
  await until('the older one knows', () => older.running.seat()?.leaderUrl === newer.url);
  // The lease tells that the database was changed when it is renewed next.
  await until('the older one says so', () => said(older, 'Upgrade this console') > 0);
  for (const console of [older, newer]) expect(await heard(console, credentials)).toEqual([200, 200]);

  const fence = newer.running.seat()?.fence ?? 0;
  await newer.running.stop();
  await until('the older one says why nobody leads', async () => {
    return (await older.call('GET', '/api/v1/info')).text.includes('A newer console has changed the database');
  });
  expect(codeOf(await older.call('GET', '/api/v1/info'))).toBe('no-leader');
  const next = await group.console('next', {}, NEWER);
  await until('one leads', leads(next));
  expect(next.running.seat()?.fence).toBe(fence + 1);
  await until('the older one passes on', async () => (await older.call('GET', '/api/v1/info')).status === 200);
  expect(await heard(older, credentials)).toEqual([200, 200]);
  expect(said(older, 'Upgrade this console')).toBe(1);

  const options = { ...(await group.options('late')), port: 0, logLevel: 'silent' as const };
  await expect(startConsole(options, { endpointProbe: new FakeProbe() })).rejects.toThrow(
    `has version ${NEWER.length}, and this console knows versions up to ${MIGRATIONS.length}`,
  );
});

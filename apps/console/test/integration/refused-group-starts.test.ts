import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startFaultProxy } from '@weir/testkit/network';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startConsole } from '../../src/index.ts';
import { peerHeaders } from '../../src/http/peer-header.ts';
import { peerKey } from '../../src/leadership/group-secrets.ts';
import { ConsoleKeys } from '../../src/storage/files/console-keys.ts';
import { SECRETS_FILE } from '../../src/storage/files/secrets-file.ts';
import { openPostgres } from '../../src/storage/postgres/open-postgres.ts';
import { FakeProbe } from '../support/fake-probe.ts';
import { Group, until } from '../support/group-of-consoles.ts';
import { codeOf, HttpConsole } from '../support/running-console.ts';

let group: Group;
beforeAll(async () => {
  group = await Group.start();
});
afterAll(() => group.stop());

/** Connections that PostgreSQL has to the group's database. */
async function connections(): Promise<number> {
  const { port, host } = group.postgres;
  const counted = "select count(*) from pg_stat_activity where datname = 'weir'";
  const address = `postgres://weir:${group.postgres.password}@${host}:${port}/postgres`;
  return Number(await group.postgres.program('psql', '--tuples-only', '--no-align', '--command', counted, address));
}

test('a console that Redis does not let in leaves no connection behind that would keep its process from ending', async () => {
  const options = { ...(await group.options('refused')), port: 0, logLevel: 'silent' as const };
  const redisUrl = group.redisUrl.replace('weir:', 'nobody:');
  await expect(startConsole({ ...options, redisUrl }, { endpointProbe: new FakeProbe() })).rejects.toThrow(
    'redisUrl (--redis, WEIR_REDIS_URL) is refused: Redis does not let the console in: WRONGPASS',
  );
  // Its pool would let an idle connection go after ten seconds.
  await expect.poll(connections, { timeout: 5_000 }).toBe(0);
});

test('a console with another database is refused, and a leader that advertises a wrong address is told of', async () => {
  const leader = await group.console('leader', { advertiseUrl: 'http://127.0.0.1:1' });
  await until('the lease tells the term', async () => (await lease()).includes('"fence":1'));
  const storageUrl = await group.postgres.createDatabase('another');
  const options = { ...(await group.options('elsewhere')), storageUrl, port: 0, logLevel: 'silent' as const };
  const refusal = startConsole(options, { endpointProbe: new FakeProbe() }).then(String, String);
  expect(await refusal).toContain(
    'another is empty, and the group of this console has another one: http://127.0.0.1:1',
  );
  expect(await refusal).toContain('which leads (term 1)');
  expect(await refusal).toContain('--storage-url');
  expect(await tables('another')).toBe(0);
  // One that a console alone has used.
  await openPostgres(storageUrl);
  const before = await states('another');
  await expect(startConsole(options, { endpointProbe: new FakeProbe() })).rejects.toThrow('is not that of a group');
  expect(await states('another')).toBe(before);
  const [own, leaders] = [await makeIdentity('another'), await identity('weir')];
  expect(own).not.toBe(leaders);
  await expect(startConsole(options, { endpointProbe: new FakeProbe() })).rejects.toThrow(
    `has the database ${own}, and the console that leads the group (http://127.0.0.1:1) has ${leaders}`,
  );
  // A copy has the identity of its original.
  const copied = `update states set json = '"${leaders}"' where name = 'identity'`;
  await group.postgres.program('psql', '-d', 'another', '-qc', copied);
  await expect(startConsole(options, { endpointProbe: new FakeProbe() })).rejects.toThrow(
    'is in term 1, and this database knows of 0 only',
  );

  const standby = await group.console('standby');
  for (let n = 0; n < 3; n += 1) expect((await standby.call('GET', '/api/v1/info')).text).toContain('ECONNREFUSED');
  expect(standby.logs.filter((line) => line.includes('could not be passed on'))).toHaveLength(1);
  const dataDir = await group.dataDir('standby');
  const key = peerKey((await ConsoleKeys.open(dataDir, 'none')).secrets);
  const headers = peerHeaders(key, { method: 'GET', path: '/api/v1/info', clientAddress: '127.0.0.1' });
  const answer = await standby.call('GET', '/api/v1/info', { headers });
  expect(answer.status).toBe(503);
  expect(answer.text).toContain('the address that the leader advertises is not its own');
  expect(leader.running.seat()?.seat).toBe('leader');
});

test('with Redis away an empty database is left as it is: whether the group has another one cannot be seen', async () => {
  const storageUrl = await group.postgres.createDatabase('unseen');
  const options = { ...(await group.options('unseen')), storageUrl, port: 0, logLevel: 'silent' as const };
  const redisUrl = 'redis://127.0.0.1:1';
  await expect(startConsole({ ...options, redisUrl }, { endpointProbe: new FakeProbe() })).rejects.toThrow(
    'unseen is empty, and whether the group of this console has another one cannot be seen on Redis (Redis is away.)',
  );
  expect(await tables('unseen')).toBe(0);
});

test('other secrets and an empty database begin no second group on the same database of Redis; on another one they do', async () => {
  const own = await group.console('own-group');
  const leaderUrl = own.running.seat()?.leaderUrl ?? 'none';
  const storageUrl = await group.postgres.createDatabase('second');
  const started = (redisUrl: string) => HttpConsole.start({ storageUrl, redisUrl });
  const refusal = await started(group.redisUrl).catch(String);
  expect(refusal).toContain('Another group of consoles runs on this database of Redis, with other secrets');
  expect(refusal).toContain(`${leaderUrl}, which leads`);
  expect(refusal).toContain('copy its secrets.json and manifest-key.pem');
  expect(refusal).toContain('redis://host:6379/2');
  expect(await tables('second')).toBe(0);
  const elsewhere = await started(`${group.redisUrl}/2`);
  if (!(elsewhere instanceof HttpConsole)) throw new Error(String(elsewhere));
  await until('it leads a group of its own', async () => elsewhere.running.seat()?.seat === 'leader');
  expect(elsewhere.logs.join('')).not.toContain('Another group');
  // It has led, so it is not kept from starting by the database number that it is given now, but says what is wrong.
  await elsewhere.restart({ storageUrl, redisUrl: group.redisUrl });
  expect(elsewhere.logs.filter((line) => line.includes('overshoot guards count in the same counters'))).toHaveLength(1);
  await elsewhere.stop();
});

test('a console that learns only later that it has another database, or other secrets, neither passes on nor leads', async () => {
  const proxy = await startFaultProxy({ port: group.redis.port });
  proxy.setMode('refuse');
  const redisUrl = group.redisUrl.replace(String(group.redis.port), String(proxy.port));
  const leader = await group.console('right');
  await until('the right one knows the group', () => leader.running.seat()?.leaderUrl !== null);
  const storageUrl = await group.postgres.createDatabase('a-third');
  await openPostgres(storageUrl);
  const elsewhere = await group.console('elsewhere', { redisUrl, storageUrl });
  const { dataDir } = await group.options('strange');
  const file = join(dataDir, SECRETS_FILE);
  const secrets: object = JSON.parse(await readFile(file, 'utf8'));
  await writeFile(file, JSON.stringify({ ...secrets, enrolmentToken: 'E'.repeat(43) }));
  const strange = await HttpConsole.start({ ...(await group.options('right')), dataDir, redisUrl });
  proxy.setMode('pass');
  for (const [console, words, remedy] of [
    [elsewhere, 'This console has another database than the one that leads', '--storage-url'],
    [strange, 'This console has other secrets than the one that leads', 'Copy secrets.json'],
  ] as const) {
    await until('it says so', async () => (await console.call('GET', '/api/v1/info')).text.includes(words));
    const health = await console.call('GET', '/healthz');
    expect([health.status, codeOf(health)]).toEqual([503, 'no-leader']);
    expect(console.logs.filter((line) => line.includes(remedy))).toHaveLength(1);
    expect(console.running.seat()?.seat).toBe('standby');
  }
  await strange.stop();
  await proxy.close();
});

/** Tables in a database. */
async function tables(database: string): Promise<number> {
  const counted = "select count(*) from information_schema.tables where table_schema = 'public'";
  return Number(await group.postgres.program('psql', '-d', database, '-qtAc', counted));
}

async function states(database: string): Promise<string> {
  return group.postgres.program('psql', '-d', database, '-qtAc', 'select * from states order by name');
}

/** As a group would. */
async function makeIdentity(database: string): Promise<string> {
  const made = `insert into states values ('identity', '"${randomUUID()}"')`;
  await group.postgres.program('psql', '-d', database, '-qc', made);
  return identity(database);
}

async function identity(database: string): Promise<string> {
  const asked = "select json::json #>> '{}' from states where name = 'identity'";
  return until('the database has an identity', async () => (await ask()) !== '').then(ask);
  async function ask(): Promise<string> {
    return (await group.postgres.program('psql', '-d', database, '-qtAc', asked).catch(() => '')).trim();
  }
}

/** What the lease of the group tells. */
async function lease(): Promise<string> {
  const keys = await group.redis.command('KEYS', '*:leader');
  return String(await group.redis.command('GET', Array.isArray(keys) ? String(keys[0]) : 'none'));
}

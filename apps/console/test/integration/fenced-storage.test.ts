import { startPostgres, type PostgresServer } from '@weir/testkit/postgres';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LeadershipLost } from '../../src/ports/leadership-lost.ts';
import { NewerDatabase } from '../../src/ports/newer-database.ts';
import { MIGRATIONS } from '../../src/storage/sql/migrations.ts';
import type { GroupStorage } from '../../src/ports/group-storage.ts';
import { postgresGroupStorage } from '../../src/storage/postgres/group-storage.ts';
import { bringForward, examine, openPostgres, withMigrationLock } from '../../src/storage/postgres/open-postgres.ts';
import { silentLogger } from '../support/test-console.ts';

const surroundings = { nowMs: () => performance.now(), outageChanged: () => undefined, log: silentLogger };
let server: PostgresServer;
let url: string;
let first: GroupStorage;
let second: GroupStorage;
beforeAll(async () => {
  server = await startPostgres();
  url = await server.createDatabase('weir');
  first = await postgresGroupStorage(url, surroundings);
  second = await postgresGroupStorage(url, surroundings);
});
afterAll(async () => {
  await Promise.all([first.shared.close(), second.shared.close()]);
  await server.stop();
});

/** A storage of a new term, and how often it was told that it is over. */
async function term(
  group: GroupStorage,
): Promise<{ storage: ReturnType<GroupStorage['under']>; fence: number; lost: () => number }> {
  const fence = await group.nextFence();
  let told = 0;
  const storage = group.under(fence, () => {
    told += 1;
  });
  return { storage, fence, lost: () => told };
}

test('terms are numbered upwards, whoever begins them', async () => {
  const [a, b] = [await term(first), await term(second)];
  expect(b.fence).toBe(a.fence + 1);
  expect((await term(first)).fence).toBe(b.fence + 1);
});

test('a term writes until the next one begins, and nothing afterwards, in a transaction or alone', async () => {
  const old = await term(first);
  await old.storage.settings.saveState('alone', '"old"');
  await old.storage.transaction((stores) => stores.settings.saveState('together', '"old"'));
  const next = await term(second);
  await expect(old.storage.settings.saveState('alone', '"late"')).rejects.toThrow(LeadershipLost);
  await expect(old.storage.transaction((stores) => stores.settings.saveState('together', '"late"'))).rejects.toThrow(
    LeadershipLost,
  );
  expect(old.lost()).toBe(2);
  expect(await old.storage.settings.state('alone')).toBe('"old"');
  await next.storage.settings.saveState('alone', '"new"');
  await next.storage.transaction((stores) => stores.settings.saveState('together', '"new"'));
  expect(next.lost()).toBe(0);
  expect(await second.shared.settings.state('alone')).toBe('"new"');
  expect(await second.shared.settings.state('together')).toBe('"new"');
});

test('a change that has begun is finished before the next term begins', async () => {
  const old = await term(first);
  const order: string[] = [];
  let taken: Promise<void> | undefined;
  await old.storage.transaction(async (stores) => {
    await stores.settings.saveState('begun', '"before"');
    taken = second.nextFence().then(() => void order.push('next term'));
    await stores.settings.saveState('begun', '"whole"');
    order.push('change');
  });
  await taken;
  expect(order).toEqual(['change', 'next term']);
  expect(await second.shared.settings.state('begun')).toBe('"whole"');
});

test('a term that fails in the middle of a change leaves no trace of it, and goes on', async () => {
  const { storage, lost } = await term(first);
  const failing = storage.transaction(async (stores) => {
    await stores.settings.saveState('half', '"half"');
    throw new Error('a reason');
  });
  await expect(failing).rejects.toThrow('a reason');
  expect(await storage.settings.state('half')).toBeUndefined();
  await storage.settings.saveState('half', '"whole"');
  expect(lost()).toBe(0);
});

test('a sealed term reads and writes nothing, and the connections serve the next one', async () => {
  const { storage } = await term(first);
  storage.seal();
  await expect(storage.settings.state('alone')).rejects.toThrow(LeadershipLost);
  await expect(storage.settings.saveState('alone', '"sealed"')).rejects.toThrow(LeadershipLost);
  await storage.close();
  await expect(storage.settings.state('alone')).rejects.toThrow(LeadershipLost);
  const next = await term(first);
  await next.storage.settings.saveState('alone', '"next"');
  expect(await next.storage.settings.state('alone')).toBe('"next"');
});

test('a change that stands alone and is refused by the database leaves its connections usable', async () => {
  const { storage, lost } = await term(first);
  const endpoint = {
    endpointId: 'ep_1',
    name: 'photos',
    url: 'http://127.0.0.1:9000',
    region: 'us-east-1',
    pathStyle: true,
    accessKeyId: 'key',
    sealedSecret: 'sealed',
    createdAtMs: 1,
  };
  await storage.endpoints.insert(endpoint);
  // More often than there are connections.
  for (let n = 0; n < 20; n += 1) await expect(storage.endpoints.insert(endpoint)).rejects.toThrow('duplicate key');
  expect(await storage.endpoints.all()).toHaveLength(1);
  expect(lost()).toBe(0);
});

/** The rows of the group, and the version of the database. */
const state = (): Promise<string> =>
  server.program('psql', '-d', 'weir', '-qtAc', 'select version, json from weir_database, states order by name');

test('a database has one identity, whoever opens it and when, and another one has another', async () => {
  expect(first.identity).toMatch(/^[0-9a-f-]{36}$/);
  expect(second.identity).toBe(first.identity);
  const other = await postgresGroupStorage(await server.createDatabase('other'), surroundings);
  expect(other.identity).not.toBe(first.identity);
  await other.shared.close();
});

test('a newer console changes nothing before it leads; then the older ones write nothing, a late change or a new term', async () => {
  const old = await term(first);
  const before = await state();
  const migrations = [...MIGRATIONS, "alter table states add column later text default 'new';"];
  const newer = await postgresGroupStorage(url, { ...surroundings, migrations });
  expect(await state()).toBe(before);
  await old.storage.settings.saveState('late', '"in time"');
  const broken = [...migrations, 'create table half (x integer) strict; create table jobs (x integer) strict;'];
  const unfit = await postgresGroupStorage(url, { ...surroundings, migrations: broken });
  await expect(unfit.nextFence()).rejects.toThrow('cannot be opened');
  await unfit.shared.close();
  // A migration that fails ends no term.
  await old.storage.settings.saveState('late', '"still in time"');
  const next = await term(newer);
  expect(next.fence).toBe(old.fence + 1);
  expect((await state()).split('|')[0]).toBe(String(MIGRATIONS.length + 1));
  await expect(old.storage.settings.saveState('late', '"late"')).rejects.toThrow(LeadershipLost);
  const after = await state();
  await expect(first.nextFence()).rejects.toThrow(NewerDatabase);
  expect(await state()).toBe(after);
  await next.storage.settings.saveState('late', '"new"');
  expect(await next.storage.settings.state('late')).toBe('"new"');
  expect((await term(newer)).fence).toBe(next.fence + 1);
  await newer.shared.close();
});

test('of newer consoles that would lead at the same time one brings the database forward, and each gets a number of its own', async () => {
  const migrations = [
    ...MIGRATIONS,
    'alter table states add column later text;',
    'alter table states add column last text;',
  ];
  const newer = await Promise.all([1, 2, 3].map(() => postgresGroupStorage(url, { ...surroundings, migrations })));
  const fences = await Promise.all(newer.map((each) => each.nextFence()));
  expect(new Set(fences).size).toBe(3);
  expect((await state()).split('|')[0]).toBe(String(migrations.length));
  await Promise.all(newer.map((each) => each.shared.close()));
});

test('a term whose database is brought forward by somebody who leads no group ends with its next change', async () => {
  const own = await server.createDatabase('brought-forward');
  const group = await postgresGroupStorage(own, surroundings);
  const { storage, lost } = await term(group);
  await storage.settings.saveState('alone', '"old"');
  const later = [...MIGRATIONS, 'alter table states add column later text;'];
  await withMigrationLock(own, async (client, name) => {
    await bringForward(client, await examine(client, name, later), later);
  });
  await expect(storage.settings.saveState('alone', '"late"')).rejects.toThrow(LeadershipLost);
  expect(await group.shared.settings.state('alone')).toBe('"old"');
  expect(lost()).toBe(1);
  await expect(group.nextFence()).rejects.toThrow(NewerDatabase);
  await group.shared.close();
});

test('a database whose tables are being read for long, as by a backup, is left as it is, and the older console leads on', async () => {
  const own = await server.createDatabase('read-for-long');
  const older = await postgresGroupStorage(own, surroundings);
  const { storage } = await term(older);
  const migrations = [...MIGRATIONS, 'alter table states add column later text;'];
  const newer = await postgresGroupStorage(own, { ...surroundings, migrations, lockMs: 100 });
  const backup = new Client({ connectionString: own });
  await backup.connect();
  await backup.query('begin; select * from states');
  await expect(newer.nextFence()).rejects.toThrow(/could not be brought forward .*lock timeout.*: it stays as it was/);
  await storage.settings.saveState('alone', '"led on"');
  await backup.query('commit');
  await backup.end();
  expect((await term(newer)).fence).toBe(2);
  await expect(storage.settings.saveState('alone', '"late"')).rejects.toThrow(LeadershipLost);
  await Promise.all([older.shared.close(), newer.shared.close()]);
});

test('a console that is told no Redis is refused the database of a group, until the group is given up', async () => {
  const own = await server.createDatabase('given_up');
  await openPostgres(own);
  const group = await postgresGroupStorage(own, surroundings);
  await openPostgres(own);
  await term(group);
  await expect(openPostgres(own)).rejects.toThrow(
    /belongs to a group of consoles, which has had 1 term, and this console is told no Redis: .* redisUrl \(--redis, WEIR_REDIS_URL\)/,
  );
  await group.shared.close();
  const client = new Client({ connectionString: own });
  await client.connect();
  await client.query("delete from states where name = 'fence'");
  await client.end();
  await openPostgres(own);
});

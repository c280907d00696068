import { afterAll, beforeAll, expect, test } from 'vitest';
import { startConsole } from '../../src/index.ts';
import { peerHeaders } from '../../src/http/peer-header.ts';
import { peerKey } from '../../src/leadership/group-secrets.ts';
import { loadManifestKey } from '../../src/storage/files/manifest-key-file.ts';
import { loadSecrets } from '../../src/storage/files/secrets-file.ts';
import { FakeProbe } from '../support/fake-probe.ts';
import { Group, until } from '../support/group-of-consoles.ts';

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
    'redisUrl is refused: Redis does not let the console in: WRONGPASS',
  );
  // Its pool would let an idle connection go after ten seconds.
  await expect.poll(connections, { timeout: 5_000 }).toBe(0);
});

test('a console with another database is refused, and a leader that advertises a wrong address is told of', async () => {
  const leader = await group.console('leader', { advertiseUrl: 'http://127.0.0.1:1' });
  await until('the lease tells the term', async () => (await lease()).includes('"fence":1'));
  const storageUrl = await group.postgres.createDatabase('another');
  const options = { ...(await group.options('elsewhere')), storageUrl, port: 0, logLevel: 'silent' as const };
  await expect(startConsole(options, { endpointProbe: new FakeProbe() })).rejects.toThrow(
    'is in term 1, and this database knows of 0 only',
  );

  const standby = await group.console('standby');
  for (let n = 0; n < 3; n += 1) expect((await standby.call('GET', '/api/v1/info')).text).toContain('ECONNREFUSED');
  expect(standby.logs.filter((line) => line.includes('could not be passed on'))).toHaveLength(1);
  const dataDir = await group.dataDir('standby');
  const { secrets } = await loadSecrets(dataDir, 'none');
  const key = peerKey({ ...secrets, manifestKey: await loadManifestKey(dataDir) });
  const headers = peerHeaders(key, { method: 'GET', path: '/api/v1/info', clientAddress: '127.0.0.1' });
  const answer = await standby.call('GET', '/api/v1/info', { headers });
  expect(answer.status).toBe(503);
  expect(answer.text).toContain('the address that the leader advertises is not its own');
  expect(leader.running.seat()?.seat).toBe('leader');
});

/** What the lease of the group tells. */
async function lease(): Promise<string> {
  const keys = await group.redis.command('KEYS', '*:leader');
  return String(await group.redis.command('GET', Array.isArray(keys) ? String(keys[0]) : 'none'));
}

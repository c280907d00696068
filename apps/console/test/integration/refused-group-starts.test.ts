import { afterAll, beforeAll, expect, test } from 'vitest';
import { startConsole } from '../../src/index.ts';
import { FakeProbe } from '../support/fake-probe.ts';
import { Group } from '../support/group-of-consoles.ts';

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

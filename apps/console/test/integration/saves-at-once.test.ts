import { join } from 'node:path';
import { startPostgres, type PostgresServer } from '@weir/testkit/postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backUp, restoreBackup, type ConsoleOptionsInput } from '../../src/index.ts';
import { codeOf, cookieOf, HttpConsole, type Answer } from '../support/running-console.ts';

const SETTINGS = {
  enabled: true,
  globalLimitTps: 9_000,
  transactionTypes: { LIST: true, GET: true, PUT: true, DELETE: false },
  alarmThresholdPercent: 95,
};
const QUOTA = { storeId: 'memory', quota: 'api', limit: 3, period: { unit: 'hour', count: 1 } };
const ADA = { username: 'ada', role: 'admin', password: 'ada-password-1' } as const;

const from = (etag: unknown): string => `?ifMatch=${encodeURIComponent(String(etag))}`;
const saveSettings = (of: HttpConsole, cookie: string, change: object, query = ''): Promise<Answer> =>
  of.call('PUT', `/api/v1/settings/governor${query}`, { cookie, body: { ...SETTINGS, ...change } });

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

describe.each(['sqlite', 'postgresql'])('saves at the same time, on %s', (engine) => {
  let console: HttpConsole;
  let admin: string;
  let ada: string;
  let options: Partial<ConsoleOptionsInput>;
  beforeAll(async () => {
    options = {
      accounts: [ADA],
      ...(engine === 'sqlite' ? {} : { storageUrl: await server.createDatabase('saves') }),
    };
    console = await HttpConsole.start(options);
    admin = await console.login();
    ada = await loginAs(ADA.username, ADA.password);
  });
  afterAll(() => console.stop());

  const loginAs = async (username: string, password: string): Promise<string> => {
    return cookieOf(await console.call('POST', '/api/v1/session', { body: { username, password } }));
  };
  const read = async () => (await console.call('GET', '/api/v1/settings/governor', { cookie: admin })).body;
  const save = (cookie: string, change: object, query = ''): Promise<Answer> =>
    saveSettings(console, cookie, change, query);

  test('one of two is kept, and the other is told 409 with who and when; nothing of the first is lost', async () => {
    const { etag } = await read();
    const answers = await Promise.all([
      save(admin, { globalLimitTps: 8_000 }, from(etag)),
      save(ada, { alarmThresholdPercent: 80 }, from(etag)),
    ]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    const refused = answers.find(({ status }) => status === 409);
    const kept = await read();
    expect(refused?.body.error).toMatchObject({
      code: 'changed-meanwhile',
      changed: { version: 1, changedBy: kept.changedBy, changedAtMs: kept.changedAtMs },
    });
    expect(kept.version).toBe(1);
    expect((await save(ada, { globalLimitTps: 7_000 }, from(kept.etag))).body.etag).not.toBe(kept.etag);
  });

  test('a caller that says nothing of what it read goes on as before: the last one wins', async () => {
    const { version } = await read();
    const answer = await save(admin, { globalLimitTps: 6_000 });
    expect(answer.body).toMatchObject({ version: version + 1, settings: { globalLimitTps: 6_000 } });
  });

  test('a misspelt name of what is compared is refused and saves nothing', async () => {
    const before = await read();
    const answer = await save(admin, { globalLimitTps: 5_000 }, `?ifmatch=${before.etag}`);
    expect([answer.status, codeOf(answer)]).toEqual([400, 'validation-failed']);
    expect(await read()).toEqual(before);
  });

  test('what was read before a restart of the console is still the same after it', async () => {
    const { etag } = await read();
    await console.restart(options);
    admin = await console.login();
    ada = await loginAs(ADA.username, ADA.password);
    expect((await read()).etag).toBe(etag);
    expect((await save(admin, { globalLimitTps: 4_000 }, from(etag))).status).toBe(200);
    expect((await save(ada, { globalLimitTps: 3_000 }, from(etag))).status).toBe(409);
  });

  test('a quota is changed from what was read, or refused likewise', async () => {
    const made = (await console.call('POST', '/api/v1/quotas', { cookie: admin, body: QUOTA })).body;
    const path = `/api/v1/quotas/${made.definitionId}`;
    const change = (cookie: string, part: object) =>
      console.call('PUT', `${path}${from(made.etag)}`, { cookie, body: { ...QUOTA, ...part } });
    expect((await change(ada, { limit: 4 })).status).toBe(200);
    const refused = await change(admin, { shadow: true });
    expect(refused.body.error).toMatchObject({ code: 'changed-meanwhile', changed: { version: 2, changedBy: 'ada' } });
    const listed = (await console.call('GET', '/api/v1/quotas', { cookie: admin })).body.quotas;
    expect(listed[0]).toMatchObject({ limit: 4, shadow: false, changedBy: 'ada' });
  });

  test('the audit log says which field went from what to what, and never holds a secret', async () => {
    const { entries } = (await console.call('GET', '/api/v1/audit-log?action=settings&limit=1', { cookie: admin }))
      .body;
    expect(entries).toMatchObject([
      { actor: 'admin', detail: {}, changes: [{ field: 'globalLimitTps', before: 6_000, after: 4_000 }] },
    ]);
    const all = (await console.call('GET', '/api/v1/audit-log', { cookie: admin })).text;
    expect(all).not.toContain(ADA.password);
  });
});

test('a backup that is put back goes through the same version again, and a save from before is refused', async () => {
  const first = await HttpConsole.start();
  const cookie = await first.login();
  await saveSettings(first, cookie, { globalLimitTps: 8_000 });
  const file = join(first.dir, 'weir.tar');
  await backUp({ dataDir: join(first.dir, 'data'), file });
  const seen = (await saveSettings(first, cookie, { globalLimitTps: 7_000 })).body;
  await first.running.stop();
  const restored = join(first.dir, 'restored');
  await restoreBackup({ file, dataDir: restored });
  await first.restart({ dataDir: restored });
  const again = await first.login();
  expect((await saveSettings(first, again, { globalLimitTps: 500 })).body.version).toBe(seen.version);
  const refused = await saveSettings(first, again, { globalLimitTps: 6_000 }, `?ifMatch=${seen.etag}`);
  expect([refused.status, codeOf(refused)]).toEqual([409, 'changed-meanwhile']);
  await first.stop();
});

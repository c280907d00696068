import { auditQuery, DEFAULT_GOVERNOR_SETTINGS, quotaInput, type GovernorSettings } from '@weir/protocol';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { changeRole } from '../../src/actions/change-role.ts';
import { createAccount } from '../../src/actions/create-account.ts';
import { withEtag } from '../../src/actions/made-from.ts';
import { readAuditLog } from '../../src/actions/read-audit-log.ts';
import { saveGovernorSettings } from '../../src/actions/save-governor-settings.ts';
import { saveQuota } from '../../src/actions/save-quota.ts';
import { etagOf } from '../../src/validation/etag.ts';
import { TestConsole } from '../support/test-console.ts';

let console: TestConsole;
beforeEach(async () => {
  console = await TestConsole.start();
  await console.clock.advance(0);
});
afterEach(() => console.stop());

const save = (change: Partial<GovernorSettings>, actor: string, ifMatch?: string) =>
  saveGovernorSettings(console.context, { ...DEFAULT_GOVERNOR_SETTINGS, ...change }, actor, ifMatch);
const etag = () => withEtag(console.context.governor).etag;
const INPUT = { storeId: 'memory', quota: 'api', limit: 3, period: { unit: 'hour', count: 1 } };
const quota = (change: object, actor: string, definitionId: string | null, ifMatch?: string) =>
  saveQuota(console.context, definitionId, quotaInput.parse({ ...INPUT, ...change }), actor, ifMatch);
const newest = async () => (await readAuditLog(console.context, auditQuery.parse({}))).entries[0];

test('of two who save from the same settings the first one wins, and the other learns who it was and when', async () => {
  await save({ globalLimitTps: 9_000 }, 'bob');
  const seen = etag();
  await console.clock.advance(5_000);
  await save({ globalLimitTps: 8_000 }, 'ada', seen);
  const changedAtMs = console.clock.nowMs();
  await console.clock.advance(5_000);
  await expect(save({ globalLimitTps: 7_000 }, 'bob', seen)).rejects.toMatchObject({
    code: 'changed-meanwhile',
    message: expect.stringContaining(`ada changed these settings at ${new Date(changedAtMs).toISOString()}`),
    changed: { version: 2, changedBy: 'ada', changedAtMs },
  });
  expect(console.context.governor).toMatchObject({ version: 2, changedBy: 'ada', settings: { globalLimitTps: 8_000 } });
  await save({ globalLimitTps: 7_000 }, 'bob', etag());
  expect(console.context.governor).toMatchObject({ version: 3, settings: { globalLimitTps: 7_000 } });
});

test('of many who save at once from the same settings exactly one wins', async () => {
  const seen = etag();
  const saves = Array.from({ length: 8 }, (_, n) => save({ globalLimitTps: 1_000 + n }, `user-${n}`, seen));
  const outcomes = await Promise.allSettled(saves);
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(console.context.governor.version).toBe(1);
});

test('a save that says nothing of what it was made from replaces what is there, as before', async () => {
  await save({ globalLimitTps: 9_000 }, 'ada');
  await save({ globalLimitTps: 8_000 }, 'script');
  expect(console.context.governor).toMatchObject({ version: 2, changedBy: 'script' });
});

test('who repeats a save whose answer was lost, or wants what is there already, changes nothing and is not refused', async () => {
  const seen = etag();
  const saved = await save({ globalLimitTps: 9_000 }, 'ada', seen);
  await console.clock.advance(1_000);
  expect(await save({ globalLimitTps: 9_000 }, 'ada', seen)).toEqual(saved);
  expect(await save({ globalLimitTps: 9_000 }, 'bob')).toEqual(saved);
  expect((await readAuditLog(console.context, auditQuery.parse({ action: 'settings' }))).entries).toHaveLength(1);
});

test('the same version of other contents, as after a backup was put back, is another state', async () => {
  await save({ globalLimitTps: 9_000 }, 'ada');
  const seen = etag();
  const restored = { ...DEFAULT_GOVERNOR_SETTINGS, globalLimitTps: 500 };
  await console.storage.settings.saveGovernor({ version: 1, changedBy: 'bob', changedAtMs: 77, settings: restored });
  await expect(save({ globalLimitTps: 8_000 }, 'ada', seen)).rejects.toMatchObject({ changed: { changedBy: 'bob' } });
  // Defaults that nobody saved are the same whenever a console starts with them.
  expect(etagOf({ version: 0, changedAtMs: 1 })).toBe(etagOf({ version: 0, changedAtMs: 2 }));
});

test('of two who change a quota from the same definition the first one wins', async () => {
  const { definitionId, etag: seen } = await quota({}, 'ada', null);
  await console.clock.advance(1_000);
  const changed = await quota({ limit: 4 }, 'ada', definitionId, seen);
  expect(changed.etag).not.toBe(seen);
  await expect(quota({ shadow: true }, 'bob', definitionId, seen)).rejects.toMatchObject({
    code: 'changed-meanwhile',
    changed: { version: 2, changedBy: 'ada', changedAtMs: console.clock.nowMs() },
  });
  expect(await quota({ limit: 4, shadow: true }, 'bob', definitionId, changed.etag)).toMatchObject({ shadow: true });
  expect(await quota({ limit: 9 }, 'script', definitionId)).toMatchObject({ limit: 9, shadow: false });
  const own = console.context.quotas.quotaViews().find(({ builtIn }) => builtIn);
  expect(own).not.toHaveProperty('etag');
});

test('an entry of the audit log names each field that was changed with its old and new value, and no other', async () => {
  await save({ globalLimitTps: 9_000, transactionTypes: { LIST: true, GET: true, PUT: true, DELETE: true } }, 'ada');
  expect(await newest()).toMatchObject({
    action: 'settings.governor',
    subject: 'version 1',
    detail: {},
    changes: [
      { field: 'globalLimitTps', before: 10_000, after: 9_000 },
      { field: 'transactionTypes.DELETE', before: false, after: true },
    ],
  });
  const { definitionId } = await quota({}, 'ada', null);
  await quota({ limit: 4, zone: 'Europe/Berlin' }, 'bob', definitionId);
  expect(await newest()).toMatchObject({
    action: 'quota.change',
    detail: { quota: 'api' },
    changes: [
      { field: 'limit', before: 3, after: 4 },
      { field: 'zone', before: 'UTC', after: 'Europe/Berlin' },
    ],
  });
  await createAccount(console.context, { username: 'eve', role: 'viewer', password: 'long-enough-1' }, 'ada');
  await changeRole(console.context, 'eve', 'operator', 'ada');
  expect(await newest()).toMatchObject({
    detail: {},
    changes: [{ field: 'role', before: 'viewer', after: 'operator' }],
  });
});

test('old and new values are found by the text of the audit log', async () => {
  await save({ globalLimitTps: 4_321 }, 'ada');
  const { entries } = await readAuditLog(console.context, auditQuery.parse({ text: '4321' }));
  expect(entries.map(({ action }) => action)).toEqual(['settings.governor']);
});

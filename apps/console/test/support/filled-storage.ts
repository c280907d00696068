import { DEFAULT_GOVERNOR_SETTINGS, quotaInput } from '@weir/protocol';
import type { Sample } from '../../src/ports/history-store.ts';
import type { StoredQuota } from '../../src/ports/quota-catalog.ts';
import type { Stores } from '../../src/ports/storage.ts';
import { newShard, type Shard } from '../../src/queue/shard.ts';
import {
  failure,
  storedAccount,
  storedAgent,
  storedAlarm,
  storedDelivery,
  storedEndpoint,
  storedEntry,
  storedJob,
  storedWebhook,
  storedWindow,
  T,
} from './stored-things.ts';

export const SHARDS: Shard[] = [
  {
    ...newShard('s-0', 'job-1', 0, { type: 'range', startAfter: null, endAt: 'm' }),
    state: 'leased',
    leaseId: 'lease-1',
    agentId: 'agt-1',
    checkpoint: 'été/\u{1F600}',
    splitAt: ['k'],
    totals: { ...newShard('', '', 0, { type: 'keys', keys: [] }).totals, objectsCopied: 5_000_000_000 },
  },
  newShard('s-1', 'job-1', 1, { type: 'keys', keys: ['a b', '\uFF5E'] }),
];
export const SAMPLE: Sample = {
  atMs: T,
  limitTps: 10_000,
  setLimitTps: 10_000,
  totalTps: 812.5,
  agents: [{ agentId: 'agt-1', actualTps: 812.5, allocatedTps: 900.25, mbps: 12.5 }],
};
export const ACCOUNT = storedAccount('anna', { role: 'operator' });
export const GOVERNOR = { version: 7, changedBy: 'anna', changedAtMs: T, settings: DEFAULT_GOVERNOR_SETTINGS };

export const QUOTA: StoredQuota = {
  definitionId: 'd',
  version: 3,
  input: quotaInput.parse({ storeId: 'memory', quota: 'api', limit: 5, period: { unit: 'day', count: 1 } }),
  changedAtMs: T,
  changedBy: 'anna',
};
export const CHANGES = [
  { field: 'globalLimitTps', before: 10_000, after: 8_000 },
  { field: 'limitSchedule.timeZone', before: null, after: "it's" },
];

/** Puts something into every table that version 1 had. */
export async function fillFirstTables(stores: Stores): Promise<void> {
  await stores.agents.insert(storedAgent('agt-1', { bootId: 'boot', holdoffUntilMs: T + 9 }));
  await stores.endpoints.insert(storedEndpoint('ep-1', 'source'));
  await stores.jobs.insert(storedJob('job-1', { state: 'running', startedAtMs: T }));
  await stores.jobs.insert(storedJob('job-2', { state: 'failed', error: { code: 'x', message: "it's" } }));
  await stores.shards.insert(SHARDS);
  await stores.failures.record('job-1', 's-0', [failure('\u{1F600}'), failure('\uFF5E')]);
  await stores.settings.saveGovernor(GOVERNOR);
  await stores.settings.saveState('key-check', '"sealed"');
  await stores.accounts.saveAccount(ACCOUNT);
  await stores.accounts.insertSession({ tokenHash: 't', username: 'anna', createdAtMs: T, expiresAtMs: T + 1_000 });
  await stores.history.addSample(SAMPLE, [120_000, 600_000, 3_600_000]);
  await stores.history.addWindows([storedWindow('agt-1', 3)]);
  await stores.alarms.save(storedAlarm('alm-1'));
  await stores.audit.add(storedEntry({ detail: { n: 1 } }));
}

/** Puts something into every table that came later. */
export async function fillLaterTables(stores: Stores): Promise<void> {
  await stores.webhooks.insert(storedWebhook('wh-1'));
  for (const id of ['z', 'a']) await stores.webhooks.addDelivery(storedDelivery(id));
  await stores.history.addEvents([{ kind: 'limiter-switched', atMs: T, on: true }]);
  await stores.planned.record('job-2', [{ key: 'k', sizeBytes: 5, action: 'exclude' }]);
  await stores.quotas.addMinutes([{ definitionId: 'd', atMs: T, admitted: 1, refused: 2, subjectsAtLimit: 3 }]);
}

/** Puts something into what version 7 brought: versions of quotas, changes of audit entries. */
export async function fillVersion7(stores: Stores): Promise<void> {
  await stores.quotas.saveQuota(QUOTA);
  await stores.audit.add(storedEntry({ action: 'settings.governor', changes: CHANGES }));
}

import { DEFAULT_JOB_OPTIONS } from '@weir/protocol';
import { expect } from 'vitest';
import type { Stores } from '../../src/ports/storage.ts';
import { ACCOUNT, CHANGES, GOVERNOR, QUOTA, SAMPLE, SHARDS } from './filled-storage.ts';
import {
  failure,
  storedAgent,
  storedAlarm,
  storedEndpoint,
  storedEntry,
  storedJob,
  storedWebhook,
  storedWindow,
  T,
} from './stored-things.ts';

/** Everything of the tables of version 1 is there, whichever version wrote it. */
export async function expectFirstTables(stores: Stores, version: number): Promise<void> {
  expect(await stores.agents.all()).toEqual([storedAgent('agt-1', { bootId: 'boot', holdoffUntilMs: T + 9 })]);
  expect(await stores.endpoints.all()).toEqual([storedEndpoint('ep-1', 'source')]);
  // Jobs from before there were options ask for nothing that an agent of that time does not know.
  const asked =
    version === 1 ? { options: { ...DEFAULT_JOB_OPTIONS, manifest: false }, needsVersion: 1 } : { needsVersion: 2 };
  expect(await stores.jobs.list(9)).toEqual([
    storedJob('job-2', { state: 'failed', error: { code: 'x', message: "it's" }, ...asked }),
    storedJob('job-1', { state: 'running', startedAtMs: T, ...asked }),
  ]);
  // Ranges of version 1 have no weight of their own: the column's default is the whole.
  const weight = version === 1 ? { weight: 1, listed: false } : {};
  expect(await stores.shards.allOf('job-1')).toEqual(SHARDS.map((shard) => ({ ...shard, ...weight })));
  expect(await stores.failures.list('job-1', 9)).toEqual([failure('\uFF5E'), failure('\u{1F600}')]);
  expect(await stores.settings.governor()).toEqual(GOVERNOR);
  expect(await stores.settings.state('key-check')).toBe('"sealed"');
  const known = version === 1 ? { createdAtMs: null } : {};
  expect(await stores.accounts.session('t', T)).toEqual({
    session: { tokenHash: 't', username: 'anna', createdAtMs: T, expiresAtMs: T + 1_000 },
    account: { ...ACCOUNT, ...known },
  });
  expect(await stores.history.samplesSince(0)).toEqual([SAMPLE]);
  for (const bucketMs of [120_000, 600_000, 3_600_000]) {
    expect(await stores.history.bucketsSince(bucketMs, 0)).toEqual([
      {
        atMs: T,
        limitTps: 10_000,
        setLimitTps: 10_000,
        totalTps: 812.5,
        peakTps: 812.5,
        agents: [{ agentId: 'agt-1', actualTps: 812.5 }],
      },
    ]);
  }
  expect(await stores.history.windows(9)).toEqual([storedWindow('agt-1', 3)]);
  expect(await stores.alarms.list(9)).toEqual([storedAlarm('alm-1')]);
  expect(await stores.audit.list({ limit: 9, action: 'job' })).toEqual([
    { ...storedEntry({ detail: { n: 1 } }), entry: 1 },
  ]);
}

/** Everything of the later tables is there. */
export async function expectLaterTables(stores: Stores): Promise<void> {
  expect(await stores.webhooks.all()).toEqual([storedWebhook('wh-1')]);
  expect((await stores.webhooks.due(T)).map((delivery) => delivery.deliveryId)).toEqual(['z']);
  expect((await stores.webhooks.deliveries(9)).map((delivery) => delivery.deliveryId)).toEqual(['a', 'z']);
  expect(await stores.history.eventsSince(0)).toEqual([{ kind: 'limiter-switched', atMs: T, on: true }]);
  expect(await stores.planned.list('job-2')).toEqual([{ key: 'k', sizeBytes: 5, action: 'exclude' }]);
  expect(await stores.quotas.minutesSince('d', T)).toMatchObject([{ admitted: 1, refused: 2, subjectsAtLimit: 3 }]);
}

/** Everything that version 7 brought is there. */
export async function expectVersion7(stores: Stores): Promise<void> {
  expect(await stores.quotas.quotas()).toEqual([QUOTA]);
  expect(await stores.audit.list({ limit: 9, text: 'globalLimitTps' })).toMatchObject([
    { action: 'settings.governor', changes: CHANGES },
  ]);
}

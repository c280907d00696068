import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Storage } from '../../src/ports/storage.ts';
import { compareKeys } from '../../src/queue/byte-order.ts';
import {
  failure,
  storedAccount,
  storedAgent,
  storedAlarm,
  storedDelivery,
  storedEndpoint,
  storedEntry,
  storedWebhook,
  storedWindow,
  T,
} from './stored-things.ts';

/** Any text that JavaScript can send as UTF-8, with what is awkward often. */
const anyText = fc.array(
  fc.oneof(
    fc.constantFrom(
      '\u0000',
      '\u0001',
      '\u0002',
      '\u007F',
      '~',
      '\u{1F600}',
      '\uFF5E',
      'é',
      'E',
      'e',
      ' ',
      '%',
      '_',
      '\\',
      "'",
      '"',
    ),
    fc.string({ unit: 'binary', maxLength: 2 }),
  ),
  { maxLength: 12 },
);

/** What is kept of texts, and how they are found and ordered. */
export function describeTexts(storage: () => Storage): void {
  test('any names of objects are kept as they are, and come in the order of their UTF-8 bytes', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          anyText.map((parts) => parts.join('')),
          { minLength: 1, maxLength: 20 },
        ),
        async (names) => {
          run += 1;
          const keys = [...new Set(names)];
          const job = `job-${run}`;
          await storage().failures.record(
            job,
            job,
            keys.map((key) => failure(key)),
          );
          const sorted = keys.toSorted(compareKeys);
          expect(await storage().failures.list(job, 100)).toEqual(sorted.map((key) => failure(key)));
          expect(await storage().failures.keysOf(job)).toEqual(sorted);
          const middle = sorted[Math.floor(sorted.length / 2)] ?? '';
          const behind = sorted.slice(Math.floor(sorted.length / 2) + 1);
          expect((await storage().failures.list(job, 100, middle)).map(({ key }) => key)).toEqual(behind);
          await storage().failures.forget(job, middle);
          expect(await storage().failures.countOf(job)).toBe(sorted.length - behind.length);
          await storage().planned.record(
            job,
            keys.map((key) => ({ key, sizeBytes: null, action: 'copy' as const })),
          );
          expect((await storage().planned.list(job)).map(({ key }) => key)).toEqual(sorted);
        },
      ),
      { numRuns: 30 },
    );
  });

  test('the audit log is searched for text that is taken as it is, and pruned to its newest entries', async () => {
    const details = ['100%', '100 x', "it's", 'a_b', 'aXb', 'ÄRGER', '\u0000\u0001'];
    for (const text of details) await storage().audit.add(storedEntry({ detail: { text } }));
    const find = async (text: string) =>
      (await storage().audit.list({ limit: 10, text })).map((entry) => entry.detail['text']);
    expect(await find('100%')).toEqual(['100%']);
    expect(await find('a_b')).toEqual(['a_b']);
    expect(await find('A_B')).toEqual(['a_b']);
    expect(await find("it's")).toEqual(["it's"]);
    expect(await find('')).toHaveLength(details.length);
    await storage().audit.add(storedEntry({ action: 'jobs.delete' }));
    await storage().audit.add(storedEntry({ action: 'job', address: '10.0.0.1', atMs: T + 5 }));
    const actions = async (action: string) =>
      (await storage().audit.list({ limit: 20, action })).map((entry) => entry.action);
    expect(new Set(await actions('job'))).toEqual(new Set(['job', 'job.create']));
    expect(await storage().audit.list({ limit: 1, text: '10.0.0.' })).toMatchObject([{ address: '10.0.0.1' }]);
    expect(await storage().audit.list({ limit: 9, fromMs: T + 1, toMs: T + 9 })).toHaveLength(1);
    expect(await storage().audit.prune(3, 0, 4)).toBe(4);
    expect(await storage().audit.prune(3, 0, 4)).toBe(2);
    const left = await storage().audit.list({ limit: 20 });
    expect(left.map((entry) => entry.action)).toEqual(['job', 'jobs.delete', 'job.create']);
    expect(await storage().audit.list({ limit: 9, before: left[0]?.entry })).toHaveLength(2);
  });
}

const sample = (
  atMs: number,
  tps: readonly number[],
  limitTps: number | null,
  setLimitTps: number | null = limitTps,
) => ({
  atMs,
  limitTps,
  setLimitTps,
  totalTps: tps.reduce((sum, one) => sum + one, 0),
  agents: tps.map((actualTps, n) => ({ agentId: `a${n}`, actualTps, allocatedTps: 0.5, mbps: 1.25 })),
});

/** What is remembered of the fleet, alarms and messages. */
export function describeHistory(storage: () => Storage): void {
  test('a bucket has mean, peak and highest limit of its samples, whichever of them had no limit', async () => {
    const given = [
      sample(T, [10.5, 30], null),
      sample(T + 1, [50], 500),
      sample(T + 2, [], null),
      sample(T + 3, [3], 400),
    ];
    for (const each of [...given, given[0] ?? sample(T, [], null)]) await storage().history.addSample(each, [120_000]);
    expect(await storage().history.samplesSince(T + 0.5)).toEqual(given.slice(1));
    expect(await storage().history.bucketsSince(120_000, T - 0.5)).toEqual([
      {
        atMs: T,
        limitTps: 500,
        setLimitTps: 500,
        totalTps: 93.5 / 4,
        peakTps: 50,
        agents: [
          { agentId: 'a0', actualTps: 63.5 / 4 },
          { agentId: 'a1', actualTps: 7.5 },
        ],
      },
    ]);
  });

  test('a bucket has the lowest limit that clusters asked for beside the one that was set, whatever came before or after', async () => {
    for (const [limitTps, setLimitTps] of [
      [500, 500],
      [350, 500],
      [null, null],
      [245, 500],
      [270, 500],
      [500, 500],
    ] as const) {
      const atMs = T + (await storage().history.samplesSince(0)).length;
      await storage().history.addSample(sample(atMs, [1], limitTps, setLimitTps), [120_000]);
    }
    expect(await storage().history.samplesSince(T + 1)).toMatchObject([
      { limitTps: 350, setLimitTps: 500 },
      {},
      {},
      {},
      {},
    ]);
    expect(await storage().history.bucketsSince(120_000, T)).toMatchObject([{ limitTps: 245, setLimitTps: 500 }]);
  });

  test('history is pruned by age and by number, in batches', async () => {
    await storage().history.addWindows(Array.from({ length: 700 }, (_, n) => storedWindow('a', n)));
    await storage().history.addWindows([storedWindow('a', 699, { chargedOps: 1 })]);
    await storage().history.addEvents(
      Array.from({ length: 20 }, (_, n) => ({ kind: 'limiter-switched', atMs: T + n, on: n % 2 === 0 })),
    );
    await storage().history.addSample(sample(T, [1], 100), [120_000]);
    const keep = {
      samplesSinceMs: T + 0.5,
      bucketsSinceMs: [{ bucketMs: 120_000, sinceMs: T + 1.5 }],
      windowsSinceMs: (await storage().history.newestSince('windows', 400)) - 0.5,
      eventsSinceMs: await storage().history.newestSince('events', 5),
    };
    expect(await storage().history.prune(keep, 200)).toBe(200 + 15 + 1 + 1 + 1 + 1);
    expect(await storage().history.prune(keep, 200)).toBe(100);
    expect(await storage().history.prune(keep, 200)).toBe(0);
    const windows = await storage().history.windows(1_000);
    expect(windows).toHaveLength(400);
    expect(windows[0]).toEqual(storedWindow('a', 699));
    expect(await storage().history.eventsSince(0)).toMatchObject(
      Array.from({ length: 5 }, (_, n) => ({ atMs: T + 15 + n })),
    );
    expect(await storage().history.samplesSince(0)).toEqual([]);
  });

  test('messages to a webhook keep the order in which they were made, also within a millisecond', async () => {
    await storage().webhooks.insert(storedWebhook('wh-1'));
    for (const id of ['z', 'm', 'a']) await storage().webhooks.addDelivery(storedDelivery(id));
    expect(await storage().webhooks.due(T - 1)).toEqual([]);
    expect(await storage().webhooks.due(T)).toEqual([storedDelivery('z')]);
    const sent = storedDelivery('z', { state: 'delivered', attempts: 1, nextAttemptAtMs: null, deliveredAtMs: T + 9 });
    await storage().webhooks.saveDelivery(sent);
    expect((await storage().webhooks.due(T)).map((delivery) => delivery.deliveryId)).toEqual(['m']);
    expect((await storage().webhooks.deliveries(2)).map((delivery) => delivery.deliveryId)).toEqual(['a', 'm']);
    expect(await storage().webhooks.waiting()).toEqual(new Map([['wh-1', 2]]));
    expect(await storage().webhooks.lastTried()).toEqual(new Map([['wh-1', { state: 'delivered', problem: null }]]));
    expect(await storage().webhooks.lastDelivered()).toEqual(new Map([['wh-1', T + 9]]));
    await storage().webhooks.addReceivedTest({
      deliveryId: 'test',
      webhookId: 'wh-1',
      body: '{}',
      createdAtMs: T + 19,
      deliveredAtMs: T + 20,
    });
    expect((await storage().webhooks.deliveries(2)).map((delivery) => delivery.deliveryId)).toEqual(['a', 'm']);
    expect(await storage().webhooks.waiting()).toEqual(new Map([['wh-1', 2]]));
    expect(await storage().webhooks.lastDelivered()).toEqual(new Map([['wh-1', T + 20]]));
    expect(await storage().webhooks.pruneDeliveries(0, 10)).toBe(2);
    await storage().webhooks.delete('wh-1');
    expect(await storage().webhooks.deliveries(9)).toEqual([]);
  });
}

/** What is kept of agents, people and settings. */
export function describePeople(storage: () => Storage): void {
  test('thousands of agents are saved at once, whole, and unknown ones are ignored', async () => {
    const agents = Array.from({ length: 1_500 }, (_, n) => storedAgent(`a${String(n).padStart(5, '0')}`));
    for (const agent of agents.slice(0, 40)) await storage().agents.insert(agent);
    const changed = agents.map((agent, n) => ({
      ...agent,
      host: n % 2 === 0 ? 'h\u0000\u0001"é' : agent.host,
      lastHeartbeatAtMs: T + n,
      bootId: n % 3 === 0 ? null : 'boot',
      limiter: false,
    }));
    await storage().agents.save(changed);
    expect(await storage().agents.all()).toEqual(changed.slice(0, 40));
    await storage().agents.save([]);
    const heard = changed.map(({ agentId }, n) => ({ agentId, lastHeartbeatAtMs: T + 2 * n }));
    await storage().agents.saveHeard(heard);
    const later = changed.slice(0, 40).map((agent, n) => ({ ...agent, lastHeartbeatAtMs: T + 2 * n }));
    expect(await storage().agents.all()).toEqual(later);
    await storage().agents.saveHeard([]);
  });

  test('a name that an agent has is free again once that agent was revoked', async () => {
    await storage().agents.insert(storedAgent('a1', { name: 'rack' }));
    await expect(storage().agents.insert(storedAgent('a2', { name: 'rack' }))).rejects.toThrow(/unique/i);
    await storage().agents.save([storedAgent('a1', { name: 'rack', revoked: true })]);
    await storage().agents.insert(storedAgent('a2', { name: 'rack' }));
    expect(await storage().agents.all()).toHaveLength(2);
  });

  test('sessions belong to accounts, end, and are counted while they last', async () => {
    const { accounts } = storage();
    await accounts.saveAccount(storedAccount('bert', { role: 'admin' }));
    await accounts.saveAccount(storedAccount('Anna'));
    await accounts.saveAccount(storedAccount('bert', { role: 'operator', lastLoginAtMs: T }));
    for (const [tokenHash, expiresAtMs] of [
      ['t1', T + 10],
      ['t2', T + 20],
    ] as const) {
      await accounts.insertSession({ tokenHash, username: 'bert', createdAtMs: T, expiresAtMs });
    }
    expect(await accounts.accounts(T + 10)).toEqual([
      { account: storedAccount('Anna'), sessions: 0 },
      { account: storedAccount('bert', { role: 'operator', lastLoginAtMs: T }), sessions: 1 },
    ]);
    expect(await accounts.session('t1', T + 10)).toBeUndefined();
    expect(await accounts.session('t2', T + 10)).toMatchObject({
      session: { expiresAtMs: T + 20 },
      account: { username: 'bert' },
    });
    await expect(accounts.deleteAccount('bert')).rejects.toThrow(/foreign key/i);
    expect(await accounts.deleteExpired(T + 10)).toBe(1);
    await accounts.endSession('t2');
    await accounts.deleteAccount('bert');
    expect(await accounts.countWithRole('operator')).toBe(0);
  });

  test('settings, alarms, endpoints, quotas and their minutes come back as they were written', async () => {
    await storage().settings.saveState('s', '"\\u0000"');
    await storage().settings.saveState('s', '{"a":1}');
    expect(await storage().settings.state('s')).toBe('{"a":1}');
    await storage().alarms.save(storedAlarm('one', T));
    await storage().alarms.save(storedAlarm('two', T + 1));
    await storage().alarms.save({ ...storedAlarm('one', T), endedAtMs: T + 2, endedBy: 'cleared' });
    expect((await storage().alarms.list(5)).map((alarm) => [alarm.alarmId, alarm.endedAtMs])).toEqual([
      ['two', null],
      ['one', T + 2],
    ]);
    for (const name of ['b', 'A', 'ä', 'a']) await storage().endpoints.insert(storedEndpoint(`ep-${name}`, name));
    expect((await storage().endpoints.all()).map((endpoint) => endpoint.name)).toEqual(['A', 'a', 'b', 'ä']);
    expect(await storage().endpoints.findByName('ä')).toEqual(storedEndpoint('ep-ä', 'ä'));
    const minute = { definitionId: 'd', atMs: T, admitted: 5, refused: 1, subjectsAtLimit: null };
    await storage().quotas.addMinutes([minute, { ...minute, atMs: T + 60_000 }]);
    await storage().quotas.addMinutes([{ ...minute, admitted: 9 }]);
    expect(await storage().quotas.minutesSince('d', T)).toEqual([minute, { ...minute, atMs: T + 60_000 }]);
    expect(await storage().quotas.pruneMinutes(T + 1, 10)).toBe(1);
  });
}

import { auditQuery } from '@weir/protocol';
import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { audit } from '../../src/actions/audit-trail.ts';
import { readAuditLog } from '../../src/actions/read-audit-log.ts';
import { onBehalfOf } from '../../src/actions/request-origin.ts';
import { TestConsole } from '../support/test-console.ts';

let console: TestConsole;
beforeEach(async () => {
  console = await TestConsole.start();
});
afterEach(() => console.stop());

const write = (actor: string, action: string, subject = '', detail: Record<string, string | number> = {}) =>
  audit(console.context, console.storage, { actor, action, subject, detail });
const read = (query: object) => readAuditLog(console.context, auditQuery.parse(query));
const actions = async (query: object) => (await read(query)).entries.map(({ action }) => action);

test('an entry says who did what to what, when, and from where', async () => {
  await onBehalfOf('192.0.2.7', async () => {
    await console.storage.transaction(async (stores) => {
      await audit(console.context, stores, { actor: 'ann', action: 'job.create', subject: 'job_1', detail: { n: 1 } });
    });
  });
  await write('console', 'job.fail', 'job_1');
  expect((await read({})).entries).toEqual([
    {
      entry: 2,
      atMs: console.clock.nowMs(),
      actor: 'console',
      action: 'job.fail',
      subject: 'job_1',
      address: null,
      detail: {},
      changes: [],
    },
    {
      entry: 1,
      atMs: console.clock.nowMs(),
      actor: 'ann',
      action: 'job.create',
      subject: 'job_1',
      address: '192.0.2.7',
      detail: { n: 1 },
      changes: [],
    },
  ]);
});

test('addresses of requests that are answered at once are not mixed up', async () => {
  const addresses = Array.from({ length: 20 }, (_, n) => `192.0.2.${n}`);
  await Promise.all(
    addresses.map((address) =>
      onBehalfOf(address, async () => {
        await new Promise((resolve) => setImmediate(resolve));
        await console.storage.transaction(async (stores) =>
          audit(console.context, stores, { actor: address, action: 'login', subject: '', detail: {} }),
        );
      }),
    ),
  );
  const { entries } = await read({});
  expect(entries).toHaveLength(20);
  for (const entry of entries) expect(entry.address).toBe(entry.actor);
});

test('filters: actor, action and its beginning, text in any case, time', async () => {
  await write('ann', 'endpoint.create', 'end_1', { name: 'Frankfurt 100%' });
  await console.clock.advance(1_000);
  await write('bob', 'endpoint.delete', 'end_1');
  await write('bob', 'endpointless', 'x');
  expect(await actions({ actor: 'ann' })).toEqual(['endpoint.create']);
  expect(await actions({ action: 'endpoint' })).toEqual(['endpoint.delete', 'endpoint.create']);
  expect(await actions({ action: 'endpoint.create' })).toEqual(['endpoint.create']);
  expect(await actions({ text: 'FRANKFURT 100%' })).toEqual(['endpoint.create']);
  expect(await actions({ text: '%' })).toEqual(['endpoint.create']);
  expect(await actions({ text: '_' })).toEqual(['endpoint.delete', 'endpoint.create']);
  expect(await actions({ fromMs: console.clock.nowMs() })).toEqual(['endpointless', 'endpoint.delete']);
  expect(await actions({ toMs: console.clock.nowMs() - 1 })).toEqual(['endpoint.create']);
});

test('pages follow each other without a gap or a repetition, whatever their size, also while entries are added', async () => {
  for (let n = 0; n < 40; n += 1) await write('ann', `step.${n}`);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 45 }), async (limit) => {
      const seen: number[] = [];
      let before: number | undefined;
      const newest = (await read({ limit: 1 })).entries[0]?.entry ?? 0;
      do {
        const page = await read({ limit, ...(before === undefined ? {} : { before }) });
        seen.push(...page.entries.map(({ entry }) => entry));
        before = page.next ?? undefined;
        await write('bob', 'meanwhile');
      } while (before !== undefined);
      expect(seen).toEqual(Array.from({ length: newest }, (_, n) => newest - n));
    }),
    { numRuns: 15 },
  );
});

import type { AuditRunView } from '@weir/protocol';
import { expect, test } from 'vitest';
import { AuditDesk } from '../../src/quotas/audit-desk.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { silentLogger } from '../support/test-console.ts';

const AUDIT: AuditRunView = {
  auditId: 'aud_1',
  storeId: 'qst_1',
  storeName: 'x',
  input: { storeId: 'qst_1', counters: [] },
  state: 'done',
  problem: null,
  startedBy: 'admin',
  startedAtMs: 0,
  endedAtMs: 1,
  progress: { keys: 0, total: null, found: 0, keysPerSecond: 0 },
  report: null,
  repair: null,
};

test('a store is busy while it is written down that a repair begins; a repair that cannot be written down changes nothing', async () => {
  const opened: string[] = [];
  const desk = new AuditDesk(
    {
      clock: new FakeClock(),
      log: silentLogger,
      folder: 'unused',
      open: async (storeId) => {
        opened.push(storeId);
        throw new Error('not reached');
      },
      save: async () => undefined,
      forget: async () => undefined,
    },
    [AUDIT],
  );
  let refuse: ((error: Error) => void) | undefined;
  const rules = { mode: 'date', maxLifetimeMs: 1 } as const;
  const repairing = desk.repair('aud_1', rules, () => new Promise<void>((_, reject) => (refuse = reject)));
  expect(desk.isBusy('qst_1')).toBe(true);
  refuse?.(new Error('disk full'));
  await expect(repairing).rejects.toThrow('disk full');
  expect(desk.isBusy('qst_1')).toBe(false);
  expect(desk.get('aud_1')).toEqual(AUDIT);
  expect(opened).toEqual([]);
});

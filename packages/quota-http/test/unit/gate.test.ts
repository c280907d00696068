import { QuotaError } from '@weir/quota';
import { expect, test } from 'vitest';
import { admissionOf, answerTo, openGate } from '../../src/gate.ts';
import { START_MS, storeDown, testEngine } from '../support/engine.ts';

interface Call {
  readonly tenant?: string;
  readonly weight?: number;
}

const byTenant = ({ tenant }: Call): string | undefined => tenant;

test('an admitted request is told where its quota stands', async () => {
  const { quotas } = testEngine();
  const gate = openGate({ quota: quotas.define({ id: 'burst', limit: 100, period: 'minute' }), subject: byTenant });
  const admission = await gate.admit({ tenant: 'a' });
  expect(admission).toMatchObject({
    allowed: true,
    problem: undefined,
    headers: { 'RateLimit-Policy': '"burst";q=100;w=60', RateLimit: '"burst";r=99;t=50' },
  });
  expect(admission.decisions.map((decision) => decision.charged)).toEqual([1]);
});

test('a refused request is told which quota refused and when to come back, in seconds rounded up', async () => {
  const engine = testEngine();
  engine.nowMs = START_MS + 1;
  const quota = engine.quotas.define({ id: 'burst', limit: 1, period: 'minute' });
  const gate = openGate({ quota, subject: byTenant });
  await gate.admit({ tenant: 'a' });
  const refused = await gate.admit({ tenant: 'a' });
  expect(refused.allowed).toBe(false);
  expect(refused.headers).toEqual({
    'RateLimit-Policy': '"burst";q=1;w=60',
    RateLimit: '"burst";r=0;t=50',
    'Retry-After': '50',
  });
  expect(refused.problem).toEqual({
    type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
    title: 'Request cannot be satisfied as assigned quota has been exceeded',
    status: 429,
    detail:
      'Quota "burst" has 1 of 1 used and this request costs 1. Come back in 50 seconds, at 2026-11-30T14:01:00.000Z.',
    'violated-policies': ['burst'],
    retryAfterSeconds: 50,
    retryAt: '2026-11-30T14:01:00.000Z',
  });
});

test('of several quotas a refused request is charged to none, and comes back when the last of them admits', async () => {
  const { quotas } = testEngine();
  const burst = quotas.define({ id: 'burst', limit: 1, period: 'minute' });
  const hourly = quotas.define({ id: 'hourly', limit: 1, period: 'hour' });
  const daily = quotas.define({ id: 'daily', limit: 10, period: 'day' });
  const charges = [burst, hourly, daily].map((quota) => ({ quota, subject: byTenant }));
  const gate = openGate({ quotas, charges });
  expect((await gate.admit({ tenant: 'a' })).headers['RateLimit']).toBe(
    '"burst";r=0;t=50, "hourly";r=0;t=3590, "daily";r=9;t=35990',
  );
  const refused = await gate.admit({ tenant: 'a' });
  expect(refused.problem?.['violated-policies']).toEqual(['burst', 'hourly']);
  expect(refused.headers['Retry-After']).toBe('3590');
  expect((await daily.peek('a')).used).toBe(1);
});

test('a request that costs more than the whole quota is not told to come back', async () => {
  const { quotas } = testEngine();
  const quota = quotas.define({ id: 'burst', limit: 3, period: 'minute' });
  const gate = openGate({ quota, subject: byTenant, cost: ({ weight }: Call) => weight ?? 1 });
  const refused = await gate.admit({ tenant: 'a', weight: 4 });
  expect(refused.headers).not.toHaveProperty('Retry-After');
  expect(refused.problem).not.toHaveProperty('retryAt');
  expect(refused.problem?.detail).toBe(
    'Quota "burst" allows 3 in a period and this request costs 4, so it is never admitted.',
  );
  expect((await gate.admit({ tenant: 'a', weight: 3 })).headers['RateLimit']).toBe('"burst";r=0;t=50');
});

test('a request without a subject is charged nothing and told nothing', async () => {
  const { quotas } = testEngine();
  const quota = quotas.define({ id: 'burst', limit: 0, period: 'minute' });
  const gate = openGate({ quotas, charges: [{ quota, subject: byTenant }] });
  expect(await gate.admit({})).toEqual({ allowed: true, decisions: [], headers: {}, problem: undefined });
});

test('quotas of several gates on one request are told together', async () => {
  const { quotas } = testEngine();
  const [first, second] = ['first', 'second'].map((id) =>
    openGate({ quota: quotas.define({ id, limit: 2, period: 'minute' }), subject: byTenant }),
  );
  const call = { tenant: 'a' };
  expect(admissionOf(call)).toBeUndefined();
  await first!.admit(call);
  const both = await second!.admit(call);
  expect(both.headers['RateLimit']).toBe('"first";r=1;t=50, "second";r=1;t=50');
  expect(both.decisions.map((decision) => decision.quota)).toEqual(['first', 'second']);
  expect(admissionOf(call)).toBe(both);
  expect(admissionOf({ tenant: 'a' })).toBeUndefined();
});

test('a decision of a gate can be refunded when the work was not done', async () => {
  const { quotas } = testEngine();
  const quota = quotas.define({ id: 'burst', limit: 2, period: 'minute' });
  const call = { tenant: 'a' };
  const [decision] = (await openGate({ quota, subject: byTenant }).admit(call)).decisions;
  await quota.refund(decision!);
  expect((await quota.peek('a')).used).toBe(0);
});

test('a decision made without a gate is told as one of a gate', async () => {
  const { quotas } = testEngine();
  const quota = quotas.define({ id: 'burst', limit: 1, period: 'minute', reservationMs: 1_000 });
  const reservation = await quota.reserve('a', 1);
  expect(answerTo({ quota }, reservation.decision)).toEqual({
    allowed: true,
    headers: { 'RateLimit-Policy': '"burst";q=1;w=60', RateLimit: '"burst";r=0;t=50' },
    problem: undefined,
  });
  const refused = answerTo({ quota, name: 'tokens' }, await quota.take('a'), 'none');
  expect(refused.headers).toEqual({ 'Retry-After': '50' });
  expect(refused.problem?.['violated-policies']).toEqual(['tokens']);
});

test('a quota in shadow is counted and not told', async () => {
  const { quotas } = testEngine();
  const quota = quotas.define({ id: 'trial', limit: 0, period: 'minute', shadow: true });
  const admission = await openGate({ quota, subject: byTenant }).admit({ tenant: 'a' });
  expect(admission).toMatchObject({ allowed: true, headers: {} });
  expect(admission.decisions[0]?.wouldRefuse).toBe(true);
});

test('the window is the length of the period itself: 31-day months, days of 23 and 25 hours', async () => {
  const engine = testEngine();
  const monthly = engine.quotas.define({ id: 'm', limit: 9, period: 'month' });
  const daily = engine.quotas.define({ id: 'd', limit: 9, period: 'day', zone: 'America/New_York' });
  const windowAt = async (nowMs: number, quota = daily): Promise<string | undefined> => {
    engine.nowMs = nowMs;
    return (await openGate({ quota, subject: byTenant }).admit({ tenant: 'a' })).headers['RateLimit-Policy'];
  };
  expect(await windowAt(Date.UTC(2026, 11, 5), monthly)).toBe('"m";q=9;w=2678400');
  expect(await windowAt(Date.UTC(2027, 1, 5), monthly)).toBe('"m";q=9;w=2419200');
  expect(await windowAt(Date.UTC(2027, 2, 14, 12))).toBe(`"d";q=9;w=${23 * 3_600}`);
  expect(await windowAt(Date.UTC(2027, 10, 7, 12))).toBe(`"d";q=9;w=${25 * 3_600}`);
});

test('what clients see of a quota can be named otherwise', async () => {
  const { quotas } = testEngine();
  const quota = quotas.define({ id: 'intern: größe', limit: 1, period: 'minute' });
  const plain = openGate({ quota, subject: byTenant });
  const named = openGate({ quota, subject: byTenant, name: 'size', unit: 'content-bytes', partition: (s) => `p-${s}` });
  expect((await plain.admit({ tenant: 'a' })).headers['RateLimit']).toBe('"intern: gr%C3%B6%C3%9Fe";r=0;t=50');
  const refused = await named.admit({ tenant: 'a' });
  expect(refused.headers['RateLimit-Policy']).toBe('"size";q=1;qu="content-bytes";w=60;pk=:cC1h:');
  expect(refused.problem?.['violated-policies']).toEqual(['size']);
});

test('without the store a closed quota answers 503 and says nothing of what is left', async () => {
  const { quotas, store } = testEngine();
  store.failure = storeDown();
  const quota = quotas.define({ id: 'burst', limit: 100, period: 'minute' });
  const refused = await openGate({ quota, subject: byTenant }).admit({ tenant: 'a' });
  expect(refused.problem).toMatchObject({
    type: 'https://iana.org/assignments/http-problem-types#temporary-reduced-capacity',
    status: 503,
    'violated-policies': ['burst'],
  });
  expect(refused.problem?.detail).toMatch(
    /^Quota "burst" cannot be checked at the moment\. Come back in \d+ seconds?, at /,
  );
  const retryAfter = refused.headers['Retry-After'];
  expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);
  expect(refused.headers['RateLimit']).toBe(`"burst";r=0;t=${retryAfter}`);
});

test('without the store an open quota admits', async () => {
  const { quotas, store } = testEngine();
  store.failure = storeDown();
  const quota = quotas.define({ id: 'burst', limit: 100, period: 'minute', outage: 'open' });
  const admission = await openGate({ quota, subject: byTenant }).admit({ tenant: 'a' });
  expect(admission.allowed).toBe(true);
  expect(admission.decisions[0]?.source).toBe('outage-open');
});

test('what no outage policy covers is thrown: a broken counter, a wrong cost, a subject that fails', async () => {
  const { quotas, store } = testEngine();
  const quota = quotas.define({ id: 'burst', limit: 100, period: 'minute' });
  const gate = openGate({ quota, subject: byTenant, cost: ({ weight }: Call) => weight ?? 1 });
  await expect(gate.admit({ tenant: 'a', weight: 0 })).rejects.toMatchObject({ code: 'invalid-cost' });
  await expect(gate.admit({ tenant: '' })).rejects.toMatchObject({ code: 'invalid-subject' });
  store.failure = new QuotaError('store-corrupt', 'not a counter');
  const both = openGate({ quotas, charges: [quota, quota].map((part) => ({ quota: part, subject: byTenant })) });
  await expect(both.admit({ tenant: 'a' })).rejects.toMatchObject({ code: 'store-corrupt' });
  const failing = openGate({ quota, subject: () => Promise.reject(new Error('no such credential')) });
  await expect(failing.admit({})).rejects.toThrow('no such credential');
  await quotas.close();
  await expect(gate.admit({ tenant: 'a' })).rejects.toMatchObject({ code: 'closed' });
});

test('a gate without charges is refused when it is made', () => {
  expect(() => openGate({ quotas: testEngine().quotas, charges: [] })).toThrow(
    expect.objectContaining({ code: 'invalid-argument' }),
  );
});

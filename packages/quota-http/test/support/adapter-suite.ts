import { request as httpRequest } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { QuotaError } from '@weir/quota';
import type { Quota, QuotaDefinition } from '@weir/quota';
import { afterEach, describe, expect, test } from 'vitest';
import type { GateOptions, HeaderDraft } from '../../src/index.ts';
import { storeDown, testEngine } from './engine.ts';
import type { TestEngine } from './engine.ts';

/** What the suite asks of an application: gates in this order, then `GET /work`, answered 200 with `{"done":true}`. */
export interface AppPlan {
  readonly gates: readonly GatePlan[];
  readonly trustedProxies: readonly string[];
  /** Told each time when the handler runs. */
  readonly handled: () => void;
}

/** A gate in words that every framework can read: header `tenant` or the client address pays, header `cost` says how much. */
export interface GatePlan {
  readonly charges: readonly { readonly quota: Quota; readonly by: 'tenant' | 'address' }[];
  readonly engine: TestEngine;
  readonly headers?: HeaderDraft;
}

/** Listens on loopback. Its error handler answers 500 with `{"caught":<message>}`. */
export interface RunningApp {
  readonly port: number;
  close(): Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

/** How to read a request, for `gateOptions`. */
export interface Reading<R extends object> {
  readonly header: (request: R, name: string) => string | undefined;
  readonly address: (request: R) => string;
}

/** The options that a plan means, for requests of one framework. */
export function gateOptions<R extends object>(plan: GatePlan, reading: Reading<R>): GateOptions<[request: R]> {
  const charges = plan.charges.map(({ quota, by }) => ({
    quota,
    subject: (request: R) => {
      const tenant = reading.header(request, 'tenant');
      if (tenant === 'broken') throw new Error('tenant register failed');
      return by === 'address' ? reading.address(request) : tenant;
    },
    cost: (request: R) => Number(reading.header(request, 'cost') ?? 1),
  }));
  const headers = plan.headers === undefined ? {} : { headers: plan.headers };
  const [first, second] = charges;
  if (first === undefined || second !== undefined) return { quotas: plan.engine.quotas, charges, ...headers };
  return { ...first, ...headers };
}

function get(port: number, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    httpRequest({ host: '127.0.0.1', port, path: '/work', headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: JSON.parse(text) });
      });
      response.on('error', reject);
    })
      .on('error', reject)
      .end();
  });
}

function oneQuota(rules: Partial<QuotaDefinition> = {}): { engine: TestEngine; quota: Quota; gate: GatePlan } {
  const engine = testEngine();
  const quota = engine.quotas.define({ id: 'burst', limit: 2, period: 'minute', ...rules });
  return { engine, quota, gate: { engine, charges: [{ quota, by: 'tenant' }] } };
}

/** Statuses of calls one after the other, with these values of the forwarding header. */
async function statuses(port: number, forwarded: readonly string[]): Promise<number[]> {
  const answers: number[] = [];
  for (const value of forwarded) answers.push((await get(port, { 'x-forwarded-for': value })).status);
  return answers;
}

/** The guarantees of every adapter, over HTTP. */
export function describeAdapter(name: string, start: (plan: AppPlan) => Promise<RunningApp>): void {
  let app: RunningApp | undefined;
  let handled = 0;
  const run = async (gates: readonly GatePlan[], trustedProxies: readonly string[] = []): Promise<number> => {
    handled = 0;
    app = await start({ gates, trustedProxies, handled: () => (handled += 1) });
    return app.port;
  };
  describe(`quotas in ${name}`, () => {
    afterEach(async () => {
      await app?.close();
      app = undefined;
    });

    test('an admitted request reaches the handler and its response tells where the quota stands', async () => {
      const port = await run([oneQuota().gate]);
      const answer = await get(port, { tenant: 'a' });
      expect(answer).toMatchObject({
        status: 200,
        body: { done: true },
        headers: { 'ratelimit-policy': '"burst";q=2;w=60', ratelimit: '"burst";r=1;t=50' },
      });
      expect(answer.headers).not.toHaveProperty('retry-after');
      expect(handled).toBe(1);
    });

    test('a refused request is answered 429 with problem+json and never reaches the handler', async () => {
      const port = await run([oneQuota({ limit: 0 }).gate]);
      const answer = await get(port, { tenant: 'a', cost: '1' });
      expect(answer.status).toBe(429);
      expect(answer.headers['content-type']).toMatch(/^application\/problem\+json(;|$)/);
      expect(answer.body).toMatchObject({ status: 429, 'violated-policies': ['burst'] });
      expect(handled).toBe(0);
    });

    test('of many requests at once exactly as many reach the handler as the limit allows; the others come back later', async () => {
      const port = await run([oneQuota({ limit: 20 }).gate]);
      const answers = await Promise.all(Array.from({ length: 50 }, () => get(port, { tenant: 'a' })));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
      expect(handled).toBe(20);
      const refused = answers.filter(({ status }) => status === 429);
      expect(refused.map(({ headers }) => headers['retry-after'])).toEqual(Array(30).fill('50'));
      expect((await get(port, { tenant: 'b' })).status).toBe(200);
    });

    test('the cost of a request is charged as a whole', async () => {
      const port = await run([oneQuota({ limit: 10 }).gate]);
      expect((await get(port, { tenant: 'a', cost: '7' })).headers['ratelimit']).toBe('"burst";r=3;t=50');
      expect((await get(port, { tenant: 'a', cost: '4' })).status).toBe(429);
      expect((await get(port, { tenant: 'a', cost: '3' })).status).toBe(200);
    });

    test('several quotas are charged all or none, and told on one response', async () => {
      const { engine, quota: burst } = oneQuota();
      const daily = engine.quotas.define({ id: 'daily', limit: 1, period: 'day' });
      const charges = [burst, daily].map((quota) => ({ quota, by: 'tenant' as const }));
      const port = await run([{ engine, charges }]);
      expect((await get(port, { tenant: 'a' })).headers['ratelimit']).toBe('"burst";r=1;t=50, "daily";r=0;t=35990');
      const refused = await get(port, { tenant: 'a' });
      expect(refused).toMatchObject({ status: 429, body: { 'violated-policies': ['daily'] } });
      expect(refused.headers['retry-after']).toBe('35990');
      expect((await burst.peek('a')).used).toBe(1);
    });

    test('two gates one after the other tell both quotas, also when the second refuses', async () => {
      const { engine, gate } = oneQuota();
      const hourly = engine.quotas.define({ id: 'hourly', limit: 1, period: 'hour' });
      const port = await run([gate, { engine, charges: [{ quota: hourly, by: 'tenant' }] }]);
      expect((await get(port, { tenant: 'a' })).headers['ratelimit']).toBe('"burst";r=1;t=50, "hourly";r=0;t=3590');
      const refused = await get(port, { tenant: 'a' });
      expect(refused.status).toBe(429);
      expect(refused.headers['ratelimit']).toBe('"burst";r=0;t=50, "hourly";r=0;t=3590');
      expect(handled).toBe(1);
    });

    test('older drafts of the headers are told when they are asked for', async () => {
      const port = await run([{ ...oneQuota().gate, headers: 'draft-06' }]);
      const { headers } = await get(port, { tenant: 'a' });
      expect(headers).toMatchObject({
        'ratelimit-policy': '2;w=60',
        'ratelimit-limit': '2',
        'ratelimit-remaining': '1',
        'ratelimit-reset': '50',
      });
      expect(headers).not.toHaveProperty('ratelimit');
    });

    test('a client cannot escape its quota by writing the forwarding header', async () => {
      const engine = testEngine();
      const quota = engine.quotas.define({ id: 'address', limit: 2, period: 'minute', subjects: 'address' });
      const gate: GatePlan = { engine, charges: [{ quota, by: 'address' }] };
      const direct = await run([gate]);
      expect(await statuses(direct, ['203.0.113.1', '203.0.113.2', '203.0.113.3'])).toEqual([200, 200, 429]);
      await app?.close();
      // Loopback is now a proxy that appends the address of its client.
      const proxied = await run([gate], ['127.0.0.0/8']);
      const chains = ['1.1.1.1, 203.0.113.9', '127.0.0.1, 203.0.113.9', '", 203.0.113.9', '203.0.113.10'];
      expect(await statuses(proxied, chains)).toEqual([200, 200, 429, 200]);
      expect((await quota.peek('203.0.113.9')).used).toBe(2);
    });

    test('while the store is down a closed quota answers 503 without the handler, an open one admits', async () => {
      const closed = oneQuota();
      closed.engine.store.failure = storeDown();
      const refused = await get(await run([closed.gate]), { tenant: 'a' });
      expect(refused).toMatchObject({ status: 503, body: { status: 503, 'violated-policies': ['burst'] } });
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
      expect(handled).toBe(0);
      await app?.close();
      const open = oneQuota({ outage: 'open' });
      open.engine.store.failure = storeDown();
      expect((await get(await run([open.gate]), { tenant: 'a' })).status).toBe(200);
      expect(handled).toBe(1);
    });

    test('an error that remains goes to the framework’s error handler and never to the handler', async () => {
      const { engine, quota } = oneQuota();
      const twice = [quota, quota].map((part) => ({ quota: part, by: 'tenant' as const }));
      const port = await run([{ engine, charges: twice }]);
      expect(await get(port, { tenant: 'broken' })).toMatchObject({
        status: 500,
        body: { caught: 'tenant register failed' },
      });
      expect((await get(port, { tenant: 'a', cost: '0' })).status).toBe(500);
      engine.store.failure = new QuotaError('store-corrupt', 'this is no counter');
      expect(await get(port, { tenant: 'a' })).toMatchObject({ status: 500, body: { caught: 'this is no counter' } });
      expect(handled).toBe(0);
    });
  });
}

import { Hono } from 'hono';
import type { Context } from 'hono';
import { expect, test } from 'vitest';
import { clientAddress, honoQuota } from '../../src/index.ts';
import { describeAdapter, gateOptions } from '../support/adapter-suite.ts';
import { testEngine } from '../support/engine.ts';
import { serveFetch } from '../support/fetch-server.ts';

/** What the server hands to the application beside the request. */
interface Env {
  readonly Bindings: { readonly peer: string | undefined };
}

function header(context: Context<Env>, name: string): string | undefined {
  return context.req.header(name);
}

describeAdapter('Hono', ({ gates, trustedProxies, handled }) => {
  const app = new Hono<Env>();
  const address = clientAddress({
    trustedProxies,
    connection: (context: Context<Env>) => ({ peer: context.env.peer, headers: context.req.raw.headers }),
  });
  for (const gate of gates) app.use(honoQuota(gateOptions<Context<Env>>(gate, { header, address })));
  app.get('/work', (context) => {
    handled();
    return context.json({ done: true });
  });
  app.onError((error, context) => context.json({ caught: error.message }, 500));
  return serveFetch((request, peer) => app.fetch(request, { peer }));
});

test('headers reach responses that a Hono handler made itself, also ones that cannot be changed', async () => {
  const { quotas } = testEngine();
  const quota = quotas.define({ id: 'burst', limit: 2, period: 'minute' });
  const app = new Hono();
  app.use(honoQuota({ quota, subject: () => 'a' }));
  app.get('/own', () => new Response('own'));
  app.get('/redirect', () => Response.redirect('http://api.test/other'));
  expect((await app.request('/own')).headers.get('RateLimit')).toBe('"burst";r=1;t=50');
  const redirect = await app.request('/redirect');
  expect(redirect.status).toBe(302);
  expect(redirect.headers.get('RateLimit')).toBe('"burst";r=0;t=50');
});

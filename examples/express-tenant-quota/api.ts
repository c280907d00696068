import express from 'express';
import type { Express, NextFunction, Request, Response } from 'express';
import type { Quotas } from '@weir/quota';
import { clientAddress, expressQuota } from '@weir/quota-http';
import { dailyUnitsOf, tenantOfKey } from './tenants.ts';
import type { Tenant } from './tenants.ts';

/** What the API needs from outside. */
export interface ApiOptions {
  readonly quotas: Quotas;
  /** Proxies in front of this server, as CIDR blocks. */
  readonly trustedProxies: readonly string[];
  /** How many servers share the quotas. */
  readonly servers: number;
}

/** The API; every route but `/v1/usage` is charged to the tenant's day. */
export function createApi({ quotas, trustedProxies, servers }: ApiOptions): Express {
  // Before anybody has said who they are, their address pays. This also slows down guessing of keys.
  const burst = quotas.define({ id: 'burst', limit: 1_000, period: 'minute', subjects: 'address', outage: 'open' });
  const daily = quotas.define({
    id: 'daily',
    limit: dailyUnitsOf,
    period: 'day',
    // Without Redis each server gives out its part of the limit, so tenants go on and nobody gets more than a day's worth.
    outage: 'local-share',
    servers,
    budgetMs: 250,
  });

  const app = express();
  app.disable('x-powered-by');
  app.use(expressQuota({ quota: burst, subject: clientAddress({ trustedProxies }) }));
  app.use(authenticate);

  // oxlint-disable-next-line oxc/no-async-endpoint-handlers -- Express 5 passes what an async handler throws to the error handler
  app.get('/v1/usage', async (request, response) => {
    const { used, limit, remaining, resetAt } = await daily.peek(tenantOf(request).id);
    response.json({ used, limit, remaining, resetAt: new Date(resetAt).toISOString() });
  });

  app.use(
    '/v1',
    expressQuota({
      quota: daily,
      subject: (request: Request) => tenantOf(request).id,
      cost: ({ path }: Request) => (path === '/reports' ? 10 : 1),
    }),
  );
  app.get('/v1/documents/:id', (request, response) => {
    response.json({ id: request.params.id, owner: tenantOf(request).id });
  });
  app.post('/v1/reports', (request, response) => {
    response.status(202).json({ report: 'is being made', for: tenantOf(request).id });
  });
  app.use(answerFailure);
  return app;
}

/** Whom a request belongs to, once it has said so. */
const tenants = new WeakMap<Request, Tenant>();

function authenticate(request: Request, response: Response, next: NextFunction): void {
  const tenant = tenantOfKey(request.get('X-Api-Key'));
  if (tenant === undefined) {
    response.status(401).json({ error: 'X-Api-Key is missing or unknown' });
    return;
  }
  tenants.set(request, tenant);
  next();
}

/** @throws when the request was not authenticated: better no answer than one that nobody pays. */
function tenantOf(request: Request): Tenant {
  const tenant = tenants.get(request);
  if (tenant === undefined) throw new Error('a request came here without a tenant');
  return tenant;
}

/** Express knows an error handler by its four parameters. */
function answerFailure(error: unknown, _request: Request, response: Response, _next: NextFunction): void {
  console.error(error);
  response.status(500).json({ error: 'internal' });
}

import { expect, test } from 'vitest';
import { admissionOf, clientAddress, fetchQuota } from '../../src/index.ts';
import type { FetchHandler, GateOptions } from '../../src/index.ts';
import { describeAdapter, gateOptions } from '../support/adapter-suite.ts';
import { testEngine } from '../support/engine.ts';
import { serveFetch } from '../support/fetch-server.ts';

type Rest = [peer: string | undefined];

function header(request: Request, name: string): string | undefined {
  return request.headers.get(name) ?? undefined;
}

describeAdapter('fetch', ({ gates, trustedProxies, handled }) => {
  // In these plans the functions get the request alone, so the connection is kept beside it.
  const peers = new WeakMap<Request, string | undefined>();
  const address = clientAddress({
    trustedProxies,
    connection: (request: Request) => ({ peer: peers.get(request), headers: request.headers }),
  });
  let handler: FetchHandler<Rest> = () => {
    handled();
    return Response.json({ done: true });
  };
  for (const gate of gates.toReversed()) {
    const options: GateOptions<[request: Request, ...rest: Rest]> = gateOptions<Request>(gate, { header, address });
    handler = fetchQuota(options, handler);
  }
  return serveFetch((request, peer) => {
    peers.set(request, peer);
    return handler(request, peer);
  });
});

test('the functions of a fetch gate see what the platform adds to the request', async () => {
  const { quotas } = testEngine();
  const quota = quotas.define({ id: 'address', limit: 5, period: 'minute' });
  const guarded = fetchQuota(
    {
      quota,
      subject: clientAddress({
        connection: (request: Request, info: { readonly peer: string }) => ({ ...info, headers: request.headers }),
      }),
    },
    (request) => Response.json(admissionOf(request)?.decisions.map(({ subject }) => subject)),
  );
  const response = await guarded(new Request('http://api.test/'), { peer: '198.51.100.4' });
  expect(await response.json()).toEqual(['198.51.100.4']);
});

test('a response whose headers cannot be changed gets its own copy', async () => {
  const { quotas } = testEngine();
  const quota = quotas.define({ id: 'burst', limit: 5, period: 'minute' });
  const guarded = fetchQuota({ quota, subject: () => 'a' }, () => Response.redirect('http://api.test/other', 307));
  const response = await guarded(new Request('http://api.test/'));
  expect(response.status).toBe(307);
  expect(response.headers.get('Location')).toBe('http://api.test/other');
  expect(response.headers.get('RateLimit')).toBe('"burst";r=4;t=50');
});

import type { AddressInfo } from 'node:net';
import { fastify } from 'fastify';
import type { FastifyRequest } from 'fastify';
import { clientAddress, fastifyQuota } from '../../src/index.ts';
import { describeAdapter, gateOptions } from '../support/adapter-suite.ts';

function header({ headers }: FastifyRequest, name: string): string | undefined {
  return headers[name]?.toString();
}

describeAdapter('Fastify', async ({ gates, trustedProxies, handled }) => {
  const app = fastify({ forceCloseConnections: true });
  const address = clientAddress({ trustedProxies });
  const hooks = gates.map((gate) => fastifyQuota(gateOptions<FastifyRequest>(gate, { header, address })));
  // The first guards every route, the others this one.
  const [first, ...others] = hooks;
  if (first !== undefined) app.addHook('onRequest', first);
  app.get('/work', { preHandler: others }, () => {
    handled();
    return { done: true };
  });
  app.setErrorHandler((error, _request, reply) => {
    void reply.code(500).send({ caught: error instanceof Error ? error.message : String(error) });
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on TCP has an AddressInfo
  return { port: (app.server.address() as AddressInfo).port, close: () => app.close() };
});

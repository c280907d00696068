import type { AddressInfo } from 'node:net';
import express from 'express';
import type { ErrorRequestHandler, Request } from 'express';
import { clientAddress, expressQuota } from '../../src/index.ts';
import { describeAdapter, gateOptions } from '../support/adapter-suite.ts';
import { closeServer } from '../support/fetch-server.ts';

function header(request: Request, name: string): string | undefined {
  return request.get(name);
}

const onError: ErrorRequestHandler = (error, _request, response, _next) => {
  response.status(500).json({ caught: error instanceof Error ? error.message : String(error) });
};

describeAdapter('Express', async ({ gates, trustedProxies, handled }) => {
  const app = express();
  const address = clientAddress({ trustedProxies });
  for (const gate of gates) app.use(expressQuota(gateOptions<Request>(gate, { header, address })));
  app.get('/work', (_request, response) => {
    handled();
    response.json({ done: true });
  });
  app.use(onError);
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => {
    server.once('listening', resolve);
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on TCP has an AddressInfo
  return { port: (server.address() as AddressInfo).port, close: () => closeServer(server) };
});

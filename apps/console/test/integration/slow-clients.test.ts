import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { answerClientError } from '../../src/http/error-replies.ts';
import { ConsoleMetrics } from '../../src/http/metrics.ts';
import { buildServer } from '../../src/http/server.ts';
import { silentLogger, TestConsole } from '../support/test-console.ts';

test('a client that was told of its error cannot keep the connection by never hanging up', async () => {
  // Half-open, as the sockets of an HTTP server are.
  const server = createServer({ allowHalfOpen: true });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a TCP server has such an address
  const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
  try {
    const [accepted]: Socket[] = await once(server, 'connection');
    if (accepted === undefined) throw new Error('nobody came');
    const closed = once(accepted, 'close');
    answerClientError(new Error('too slow'), accepted);
    const [told]: Buffer[] = await once(client, 'data');
    expect(told?.toString()).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
    await closed;
  } finally {
    client.destroy();
    server.close();
  }
});

test('headers have less time than a whole request, which Node would exchange otherwise, and stalled readers an end', async () => {
  const console = await TestConsole.start();
  const app = await buildServer(console.context, new ConsoleMetrics(), {
    version: '0',
    database: { kind: 'sqlite', place: 'weir.db' },
    metricsToken: 'x',
    publicUrl: () => '',
    webRoot: undefined,
    secureCookies: false,
    closing: () => false,
    tls: undefined,
    trustedProxies: [],
    logger: silentLogger,
  });
  const { headersTimeout, requestTimeout, timeout } = app.server;
  expect({ headersTimeout, requestTimeout, timeout }).toEqual({
    headersTimeout: 20_000,
    requestTimeout: 30_000,
    timeout: 120_000,
  });
  await app.close();
  await console.stop();
});

test('a reader that stops in the middle of an answer loses its connection', async () => {
  const console = await TestConsole.start();
  const app = await buildServer(console.context, new ConsoleMetrics(), {
    version: '0',
    database: { kind: 'sqlite', place: 'weir.db' },
    metricsToken: 'x',
    publicUrl: () => '',
    webRoot: undefined,
    secureCookies: false,
    closing: () => false,
    tls: undefined,
    trustedProxies: [],
    logger: silentLogger,
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  // As set by the server, but not for minutes: only the length is another.
  app.server.timeout = 300;
  const accepted = once(app.server, 'connection');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a TCP server has such an address
  const client = connect({ port: (app.server.address() as AddressInfo).port, host: '127.0.0.1' });
  try {
    const [socket]: Socket[] = await accepted;
    if (socket === undefined) throw new Error('nobody came');
    const closed = once(socket, 'close');
    client.on('error', () => undefined);
    client.pause();
    // More answers than the buffers of the system hold.
    const request = 'GET /docs/json HTTP/1.1\r\nHost: x\r\n\r\n';
    client.write(request.repeat(400));
    await closed;
    expect(socket.destroyed).toBe(true);
  } finally {
    client.destroy();
    await app.close();
    await console.stop();
  }
});

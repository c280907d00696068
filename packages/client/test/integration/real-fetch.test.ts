import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { createClient, withSessionCookies } from '../../src/index.ts';

const servers: Server[] = [];

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return `http://127.0.0.1:${address.port}`;
}

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

test("Node's fetch keeps a login through the cookie jar", async () => {
  const baseUrl = await listen((request, response) => {
    response.setHeader('content-type', 'application/json');
    if (request.method === 'POST') response.setHeader('set-cookie', 'weir=s1; HttpOnly; Path=/; SameSite=Strict');
    else if (request.headers.cookie !== 'weir=s1') {
      response.statusCode = 401;
      response.end(JSON.stringify({ error: { code: 'unauthenticated', message: 'log in first' } }));
      return;
    }
    response.end(JSON.stringify({ username: 'ada', role: 'admin' }));
  });
  const stranger = createClient({ baseUrl });
  await expect(stranger.call('session')).rejects.toMatchObject({ code: 'unauthenticated', status: 401 });
  const client = createClient({ baseUrl, fetch: withSessionCookies() });
  await client.call('login', { body: { username: 'ada', password: 'pw' } });
  expect(await client.call('session')).toEqual({ username: 'ada', role: 'admin' });
});

test('a closed port, a silent server and a cut answer are told apart by real sockets', async () => {
  const silent = await listen(() => undefined);
  const cut = await listen((_, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('{"status"');
    setImmediate(() => response.destroy());
  });
  const gone = await listen(() => undefined);
  await new Promise((resolve) => servers.pop()!.close(resolve));

  await expect(createClient({ baseUrl: gone }).call('health')).rejects.toMatchObject({ reason: 'unreachable' });
  await expect(createClient({ baseUrl: cut }).call('health')).rejects.toMatchObject({ reason: 'unreachable' });
  await expect(createClient({ baseUrl: silent, timeoutMs: 50 }).call('health')).rejects.toMatchObject({
    reason: 'timeout',
  });
});

test('of several consoles, one that is gone, silent or cuts its answer off is left for the next one', async () => {
  const serving = await listen((_, response) => response.end('{"status":"ok","uptimeMs":1}'));
  const silent = await listen(() => undefined);
  const cut = await listen((_, response) => response.destroy());
  const gone = await listen(() => undefined);
  await new Promise((resolve) => servers.pop()!.close(resolve));
  for (const failing of [gone, silent, cut]) {
    const answered: string[] = [];
    const onAddress = (address: string) => answered.push(address);
    const client = createClient({ baseUrl: [failing, serving], timeoutMs: 300, onAddress });
    await client.call('health');
    await client.call('health');
    expect(answered).toEqual([serving]);
  }
});

test('a redirect by a real server is reported with its target, not followed', async () => {
  let followed = 0;
  const target = await listen((_, response) => {
    followed++;
    response.end('{"status":"ok","uptimeMs":1}');
  });
  const baseUrl = await listen((_, response) => response.writeHead(301, { location: target }).end());
  await expect(createClient({ baseUrl, token: 'secret' }).call('health')).rejects.toMatchObject({
    reason: 'redirected',
    message: `the console at ${baseUrl} redirects to ${target}`,
  });
  expect(followed).toBe(0);
});

import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { httpWebhookSender } from '../../src/host/http-webhook-sender.ts';
import { HttpConsole } from '../support/running-console.ts';

interface Received {
  path: string | undefined;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

let receiver: Server;
let url: string;
const received: Received[] = [];

beforeAll(async () => {
  receiver = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      received.push({ path: request.url, headers: request.headers, body });
      if (request.url === '/hangs') return;
      if (request.url === '/elsewhere') response.writeHead(302, { location: '/stolen' });
      else response.writeHead(request.url === '/broken' ? 500 : 204);
      response.end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const bound = receiver.address();
  url = `http://localhost:${typeof bound === 'object' ? bound?.port : ''}`;
});
afterAll(async () => {
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
});

test('a test message arrives signed, at the path that is kept secret', async () => {
  const console = await HttpConsole.start();
  const cookie = await console.login();
  const body = { name: 'ops', secretUrl: `${url}/services/T0`, format: 'json' };
  const created = (await console.call('POST', '/api/v1/webhooks', { cookie, body })).body;
  const path = `/api/v1/webhooks/${created.webhook.webhookId}/test`;
  const result = (await console.call('POST', path, { cookie })).body;
  expect(result).toMatchObject({ ok: true, status: 204, problem: null });
  const message = received.at(-1);
  expect(message?.path).toBe('/services/T0');
  const [, seconds, signature] = /^t=(\d+),v1=(\w+)$/.exec(String(message?.headers['weir-signature'])) ?? [];
  const expected = createHmac('sha256', created.signingSecret).update(`${seconds}.${message?.body}`).digest('hex');
  expect(signature).toBe(expected);
  expect(JSON.parse(message?.body ?? '')).toMatchObject({
    event: 'test',
    text: expect.stringContaining('test message'),
  });
  await console.stop();
});

test('a redirect is not followed, an error is told, and one that hangs is given up in time', async () => {
  const sender = httpWebhookSender(500);
  expect(await sender.send(`${url}/elsewhere`, {}, '{}')).toEqual({ status: 302 });
  expect(await sender.send(`${url}/broken`, {}, '{}')).toEqual({ status: 500 });
  expect(await sender.send(`${url}/hangs`, {}, '{}')).toEqual({ problem: 'it did not answer in time' });
  expect(await sender.send('http://127.0.0.1:1/', {}, '{}')).toEqual({
    problem: expect.stringContaining('ECONNREFUSED'),
  });
  expect(received.map(({ path }) => path)).not.toContain('/stolen');
});

test('nothing is sent to a metadata address, in whatever form it is written', async () => {
  const sender = httpWebhookSender(500);
  for (const host of ['169.254.169.254', '[::ffff:169.254.169.254]', '[fe80::1]', '0xa9fea9fe']) {
    expect(await sender.send(`http://${host}/`, {}, '{}')).toEqual({ problem: expect.stringContaining('link-local') });
  }
});

test('what is under way ends when the console stops', async () => {
  const sender = httpWebhookSender(60_000);
  const sending = sender.send(`${url}/hangs`, {}, '{}');
  sender.close();
  expect(await sending).toEqual({ problem: 'the console is stopping' });
});

import { request } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { HttpConsole, PASSWORDS } from '../support/running-console.ts';

let server: HttpConsole | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

const CLIENT = '203.0.113.9';

/** Tries to log in with a wrong password; `forwarded` is what arrives in the header. */
async function attempt(at: HttpConsole, forwarded: string, password = 'wrong'): Promise<number> {
  const headers = { 'x-forwarded-for': forwarded, 'x-real-ip': '198.51.100.77', forwarded: 'for=198.51.100.78' };
  const answer = await at.call('POST', '/api/v1/session', { body: { username: 'admin', password }, headers });
  return answer.status;
}

async function addressesOf(at: HttpConsole, action: string): Promise<(string | null)[]> {
  const answer = await at.call('POST', '/api/v1/session', {
    body: { username: 'admin', password: PASSWORDS.admin },
    headers: { 'x-forwarded-for': '192.0.2.200' },
  });
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  const log = await at.call('GET', `/api/v1/audit-log?action=${action}`, { cookie });
  return log.body.entries.map((entry: { address: string | null }) => entry.address);
}

test('behind a trusted proxy each client has its own limits, and the audit log its address', async () => {
  server = await HttpConsole.start({ trustedProxies: ['127.0.0.0/8', '10.0.0.0/8'] });
  for (let n = 0; n < 5; n += 1) expect(await attempt(server, `198.51.100.${n}, ${CLIENT}, 10.1.1.1`)).toBe(401);
  // Whatever the client put before what the proxies added.
  expect(await attempt(server, `203.0.113.10, ${CLIENT}`)).toBe(429);
  expect(await attempt(server, `garbage, "${CLIENT}`)).not.toBe(429);
  expect(await attempt(server, '203.0.113.10')).toBe(401);
  const addresses = await addressesOf(server, 'login.refuse');
  expect(addresses).toContain(CLIENT);
  expect(addresses).toContain('203.0.113.10');
  expect(addresses.some((address) => address?.startsWith('198.51.100.'))).toBe(false);
});

test('without trusted proxies the header is nobody’s: clients cannot choose their address with it', async () => {
  server = await HttpConsole.start();
  for (let n = 0; n < 5; n += 1) expect(await attempt(server, `203.0.113.${n}`)).toBe(401);
  expect(await attempt(server, '203.0.113.99')).toBe(429);
  await expect(status(server, '203.0.113.98')).resolves.toBe(429);
});

/** As above over a connection of its own, with the header twice. */
function status(at: HttpConsole, forwarded: string): Promise<number | undefined> {
  const body = JSON.stringify({ username: 'admin', password: 'wrong' });
  return new Promise((resolve, reject) => {
    const sent = request(`${at.url}/api/v1/session`, { method: 'POST' }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    sent.on('error', reject);
    sent.setHeader('content-type', 'application/json');
    sent.setHeader('x-forwarded-for', [forwarded, forwarded]);
    sent.end(body);
  });
}

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { heartbeat, HttpConsole, PASSWORDS } from '../support/running-console.ts';

/** What administrators do with secrets. Those that are told once are taken out of the answers here, and looked for in all else. */
async function administer(console: HttpConsole, cookie: string): Promise<void> {
  const post = (path: string, body: object) => console.call('POST', `/api/v1/${path}`, { cookie, body });
  const webhook = { name: 'w', secretUrl: 'http://127.0.0.1:1/webhook-path-secret' };
  const created = await post('webhooks', webhook);
  told.push(created.body.signingSecret);
  await post('webhooks', { ...webhook, secretUrl: 'ftp://bad-webhook-secret' });
  await post(`webhooks/${created.body.webhook.webhookId}/test`, {});
  const store = { name: 's', address: 'redis://127.0.0.1:1', password: 'store-password-secret' };
  await post('quota-stores', store);
  await post('quota-stores/test', { ...store, name: 7 });
  told.push((await post('accounts', { username: 'ann', role: 'viewer' })).body.password);
  await post('accounts', { username: 'bob', role: 'viewer', password: 'typed-account-secret' });
  await post('accounts', { username: 'B', role: 'viewer', password: 'typed-account-secret' });
  await post('accounts/bob/password', { password: 'reset-account-secret' });
  const own = { currentPassword: 'wrong-password-secret', newPassword: 'own-new-secret' };
  await console.call('PUT', '/api/v1/session/password', { cookie, body: own });
  for (const path of [
    'webhooks',
    'webhook-deliveries',
    'accounts',
    'audit-log',
    'quotas',
    'quota-stores',
    'alarm-rules',
  ]) {
    expect((await console.call('GET', `/api/v1/${path}`, { cookie })).status).toBe(200);
  }
  const once = console.answers.filter((text) => told.some((secret) => text.includes(secret)));
  expect(once).toHaveLength(told.length);
  for (const text of once) console.answers.splice(console.answers.indexOf(text), 1);
}

/** Secrets that the console made up and told once. */
const told: string[] = [];

test('no secret appears in an answer to a person, in the log or in the database', async () => {
  const console = await HttpConsole.start();
  const cookie = await console.login();
  const { agentId, credential } = await console.enrol();
  await console.job(cookie);
  const claimed = await console.call('POST', '/api/v1/agent/claims', { bearer: credential, body: { waitSeconds: 5 } });
  expect(claimed.text).toContain('src-secret');

  // Only the agent is told them; from here on nobody may be.
  console.answers.length = 0;
  const endpoint = { name: 'x', url: 'http://127.0.0.1:1', accessKeyId: 'k', secretAccessKey: 'unreachable-secret' };
  await console.call('POST', '/api/v1/endpoints', { cookie, body: endpoint });
  await console.call('POST', '/api/v1/endpoints', {
    cookie,
    body: { ...endpoint, url: 'http://127.0.0.1:9001', secretAccessKey: 'wrong-secret' },
  });
  await console.call('POST', '/api/v1/endpoints/test', {
    cookie,
    body: { ...endpoint, name: 7, secretAccessKey: 'invalid-secret' },
  });
  await console.call('POST', '/api/v1/endpoints/test', {
    cookie,
    body: { ...endpoint, secretAccessKey: ['nested-secret'] },
  });
  await console.call('POST', '/api/v1/session', { body: { username: 'admin', password: 'wrong-password-secret' } });
  await console.call('POST', '/api/v1/session', {
    body: { username: 'password-in-the-wrong-field-secret', password: 'x' },
  });
  await console.call('POST', '/api/v1/session', {
    body: '{"username":"a","password":"broken-json-secret',
    headers: { 'content-type': 'application/json' },
  });
  await console.call('POST', '/api/v1/agent/heartbeat', { bearer: credential, body: heartbeat() });
  for (const path of ['monitor', 'agents', 'jobs', 'endpoints', 'alarms', 'session', 'settings/governor', 'info']) {
    await console.call('GET', `/api/v1/${path}`, { cookie });
  }
  await administer(console, cookie);
  await console.call('GET', '/metrics', { cookie });
  await console.call('GET', '/docs/json');
  await console.call('POST', `/api/v1/agents/${agentId}/revoke`, { cookie });
  const { enrolmentToken, metricsToken } = console.running;
  await console.call('DELETE', '/api/v1/session', { cookie });
  await console.running.stop();

  const data = join(console.dir, 'data');
  const files = (await readdir(data)).filter((name) => name !== 'secrets.json');
  const stored = await Promise.all(files.map((name) => readFile(join(data, name), 'latin1')));
  const secrets = [
    credential,
    enrolmentToken,
    metricsToken,
    cookie.split('=')[1] ?? '?',
    ...told,
    ...Object.values(PASSWORDS),
    ...[
      'src',
      'dst',
      'unreachable',
      'wrong',
      'invalid',
      'nested',
      'wrong-password',
      'password-in-the-wrong-field',
      'broken-json',
      'webhook-path',
      'bad-webhook',
      'store-password',
      'typed-account',
      'reset-account',
      'own-new',
    ].map((name) => `${name}-secret`),
  ];
  const places = { answers: console.answers.join('\n'), log: console.logs.join('\n'), database: stored.join('\n') };
  expect(places.log).toContain('endpoint.create');
  expect(places.database).toContain('a-source');
  for (const [place, text] of Object.entries(places)) {
    for (const secret of secrets)
      expect({ place, secret, found: text.includes(secret) }).toEqual({ place, secret, found: false });
  }
  await console.stop();
});

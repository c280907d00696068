import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeOf, HttpConsole } from '../support/running-console.ts';

let root: string;
let console: HttpConsole;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'weir-pages-'));
  await mkdir(join(root, 'web', 'assets'), { recursive: true });
  await writeFile(join(root, 'web', 'index.html'), '<!doctype html><title>Weir</title>');
  await writeFile(join(root, 'web', 'assets', 'app-1a2b.js'), 'export {};');
  await writeFile(join(root, 'secret.txt'), 'outside');
  console = await HttpConsole.start({ webRoot: join(root, 'web') });
});
afterAll(async () => {
  await console.stop();
  await rm(root, { recursive: true });
});

test.each(['/', '/monitor', '/jobs/job_1?tab=failures'])('%s is a page of the application', async (path) => {
  const answer = await console.call('GET', path);
  expect(answer.status).toBe(200);
  expect(answer.text).toContain('<title>Weir</title>');
  expect(answer.headers.get('content-type')).toContain('text/html');
  expect(answer.headers.get('cache-control')).toBe('no-cache');
});

test('files with a hash in their name are cached for a year', async () => {
  const answer = await console.call('GET', '/assets/app-1a2b.js');
  expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(answer.headers.get('content-type')).toContain('javascript');
});

test.each(['/assets/app-old.js', '/favicon.ico', '/api/v1/nothing', '/..%2fsecret.txt', '/%2e%2e/secret.txt'])(
  '%s is not found instead of being a page',
  async (path) => {
    const answer = await console.call('GET', path);
    expect([404, 403]).toContain(answer.status);
    expect(answer.text).not.toContain('outside');
    expect(answer.text).not.toContain('<title>');
  },
);

test('without pages only the API answers', async () => {
  const bare = await HttpConsole.start();
  expect(codeOf(await bare.call('GET', '/'))).toBe('not-found');
  await bare.stop();
});

test('the API description is a document and a page that loads only its own scripts', async () => {
  const document = (await console.call('GET', '/docs/json')).body;
  expect(document.openapi).toBe('3.1.0');
  expect(document.paths['/api/v1/jobs'].post).toMatchObject({ operationId: 'createJob', security: [{ session: [] }] });
  expect(document.paths['/api/v1/jobs'].post.requestBody.content['application/json'].schema.additionalProperties).toBe(
    false,
  );
  const page = await console.call('GET', '/docs');
  expect(page.text).not.toMatch(/<script(?![^>]*\bsrc=)/);
  const sources = [...page.text.matchAll(/src="([^"]+)"/g)].map((match) => match[1] ?? '');
  expect(sources.length).toBeGreaterThan(0);
  for (const source of sources) expect((await console.call('GET', source)).status).toBe(200);
});

test('metrics have no label that grows with agents or jobs', async () => {
  const count = async () => {
    const { text } = await console.call('GET', '/metrics', { bearer: console.running.metricsToken });
    return text.split('\n').filter((line) => line.startsWith('weir_') && !line.includes('_bucket')).length;
  };
  const cookie = await console.login();
  await console.job(cookie);
  await console.enrol('first');
  await console.call('GET', '/api/v1/jobs/job_1', { cookie });
  await console.call('GET', '/nothing-1.txt');
  await count();
  const before = await count();
  for (let n = 0; n < 20; n += 1) {
    await console.job(cookie, `job ${n}`);
    await console.enrol(`agent ${n}`);
    await console.call('GET', `/api/v1/jobs/job_${n}`, { cookie });
    await console.call('GET', `/nothing-${n}.txt`);
  }
  expect(await count()).toBe(before);
});

test('with a certificate the console speaks TLS, and its cookies too', async () => {
  const [cert, key] = [join(root, 'cert.pem'), join(root, 'key.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', ...subject, '-keyout', key, '-out', cert],
    {
      stdio: 'ignore',
    },
  );
  const secure = await HttpConsole.start({ tlsCertFile: cert, tlsKeyFile: key });
  expect(secure.url).toMatch(/^https:/);
  const answer = await new Promise<{ status: number | undefined; hsts: string | undefined }>((resolve, reject) => {
    get(`${secure.url}/healthz`, { rejectUnauthorized: false }, (response) => {
      response.resume();
      resolve({ status: response.statusCode, hsts: response.headers['strict-transport-security'] });
    }).on('error', reject);
  });
  expect(answer).toEqual({ status: 200, hsts: 'max-age=31536000' });
  await secure.stop();
});

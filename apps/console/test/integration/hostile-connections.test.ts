import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MAX_BODY_BYTES } from '@weir/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HttpConsole } from '../support/running-console.ts';

let console: HttpConsole;
let cookie: string;
let files: string;

beforeAll(async () => {
  files = await mkdtemp(join(tmpdir(), 'weir-pages-'));
  const webRoot = join(files, 'web');
  await mkdir(join(webRoot, 'assets'), { recursive: true });
  await writeFile(join(webRoot, 'index.html'), '<p>the page</p>');
  await writeFile(join(webRoot, 'assets', 'app.js'), 'the script');
  for (const place of [join(files, 'outside.txt'), join(files, 'web-outside.txt'), join(webRoot, '.hidden')]) {
    await writeFile(place, 'kept from everybody');
  }
  console = await HttpConsole.start({ webRoot });
  cookie = await console.login();
});
afterAll(async () => {
  await console.stop();
  await rm(files, { recursive: true });
});

/** Everything that the console answers to bytes as they are, until it closes the connection or is silent for a while. */
function exchange(text: string, quietMs = 300): Promise<{ received: string; closed: boolean }> {
  return new Promise((resolve) => {
    let received = '';
    const socket = connect({ port: Number(new URL(console.url).port), host: '127.0.0.1' });
    const finish = (closed: boolean) => {
      socket.destroy();
      resolve({ received, closed });
    };
    socket.setTimeout(quietMs, () => finish(false));
    socket.on('data', (bytes) => (received += bytes.toString('latin1')));
    // A reset comes when the console closes while more is being sent.
    socket.on('error', () => undefined);
    socket.on('close', () => finish(true));
    socket.write(Buffer.from(text, 'latin1'));
  });
}

const answersIn = (received: string): string[] =>
  [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, code]) => code ?? '');

describe('files', () => {
  test.each([
    '/../outside.txt',
    '/assets/../../outside.txt',
    '/..%2foutside.txt',
    '/%2e%2e/outside.txt',
    '/%2e%2e%2foutside.txt',
    '/%252e%252e%252foutside.txt',
    '/assets/..%5c..%5coutside.txt',
    '/assets\\..\\..\\outside.txt',
    '/..;/outside.txt',
    '//..//outside.txt',
    '/%c0%ae%c0%ae/outside.txt',
    '/../web-outside.txt',
    '/..%00/outside.txt',
    '/assets/%00',
    '/index.html%00.js',
    '/.hidden',
    '/assets/%2e%2e/.hidden',
    '/%2ehidden',
    'http://127.0.0.1/../outside.txt',
    '/docs/static/..%2f..%2f..%2fpackage.json',
    '/docs/static/../../../package.json',
  ])('outside of the pages are not served, however they are asked for: %s', async (path) => {
    const { received } = await exchange(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(answersIn(received)).toHaveLength(1);
    expect(received).toMatch(/^HTTP\/1\.1 (200|400|403|404) /);
    expect(received).not.toContain('kept from everybody');
    expect(received).not.toContain('"dependencies"');
    expect(received.includes('the page') || !received.startsWith('HTTP/1.1 200')).toBe(true);
  });
});

describe('a request whose end could be read in two ways', () => {
  const hidden = 'GET /api/v1/info HTTP/1.1\r\nHost: x\r\n\r\n';
  const head = 'POST /api/v1/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
  test.each([
    ['length and chunks', `${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`],
    ['two lengths', `${head}Content-Length: 2\r\nContent-Length: ${2 + hidden.length}\r\n\r\n{}${hidden}`],
    ['a list of lengths', `${head}Content-Length: 2, 2\r\n\r\n{}${hidden}`],
    ['a signed length', `${head}Content-Length: +2\r\n\r\n{}${hidden}`],
    ['a length in hexadecimal', `${head}Content-Length: 0x2\r\n\r\n{}${hidden}`],
    ['another encoding', `${head}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${hidden}`],
    ['chunks and another encoding', `${head}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${hidden}`],
    ['a blank before the colon', `${head}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${hidden}`],
    ['a folded header', `${head}X: a\r\n Transfer-Encoding: chunked\r\nContent-Length: x\r\n\r\n{}${hidden}`],
    ['a line that ends without a return', `${head}X: a\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`],
    ['a lone return', `${head}X: a\rContent-Length: 2\r\n\r\n{}${hidden}`],
    ['a zero byte in a header', `${head}X: a\0b\r\n\r\n${hidden}`],
    ['a chunk of a nonsensical size', `${head}Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n${hidden}`],
    ['a huge chunk', `${head}Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n{}${hidden}`],
    ['no host', `POST /api/v1/session HTTP/1.1\r\nContent-Type: application/json\r\n\r\n${hidden}`],
    ['another protocol', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a tunnel', 'CONNECT 169.254.169.254:80 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('is refused, and nothing behind it is read: %s', async (_what, text) => {
    const { received, closed } = await exchange(text, 2_000);
    expect(answersIn(received).length).toBeLessThanOrEqual(1);
    expect(received).not.toContain('protocolVersion');
    expect(received).toMatch(/^(HTTP\/1\.1 4\d\d |$)/);
    expect(closed).toBe(true);
  });
});

test('nothing that is asked for becomes a header of the answer', async () => {
  const paths = [
    '/x%0d%0aset-cookie:%20a=1',
    '/api/v1/jobs/x%0d%0aset-cookie:%20a=1/failures.csv',
    '/api/v1/jobs/x%22;set-cookie/failures.json',
    '/api/v1/agents/x%0aset-cookie:%20a=1/why?set-cookie=%0d%0aset-cookie:a',
    '/docs/x%0d%0aset-cookie:%20a=1',
    '//example.org/%0d%0aset-cookie:%20a=1',
    '/docs?x=%0d%0alocation:%20http://example.org',
  ];
  for (const path of paths) {
    const request = `GET ${path} HTTP/1.1\r\nHost: example.org\r\nX-Forwarded-Host: evil.example\r\nCookie: ${cookie}\r\nConnection: close\r\n\r\n`;
    const { received } = await exchange(request);
    const [headers = ''] = received.split('\r\n\r\n');
    expect(headers).toMatch(/^HTTP\/1\.1 (2|3|4)\d\d /);
    expect(headers).not.toMatch(/\nset-cookie|\nlocation:\s*(https?:)?\/\/|evil/i);
  }
});

test('a body beyond the bound is refused, announced or not, and a stranger cannot have one read', async () => {
  const tooMuch = 'x'.repeat(MAX_BODY_BYTES + 1);
  const session = `POST /api/v1/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;
  const announced = await exchange(`${session}Content-Length: ${tooMuch.length}\r\n\r\n${tooMuch}`, 5_000);
  expect(announced.received).toMatch(/^HTTP\/1\.1 413 /);
  const chunked = `${session}Transfer-Encoding: chunked\r\n\r\n${tooMuch.length.toString(16)}\r\n${tooMuch}\r\n0\r\n\r\n`;
  expect((await exchange(chunked, 5_000)).received).toMatch(/^(HTTP\/1\.1 413 |$)/);
  const stranger = `POST /api/v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000000000000\r\n\r\n{`;
  expect((await exchange(stranger, 1_000)).received).toMatch(/^HTTP\/1\.1 401 /);
});

test('headers beyond the bound are refused', async () => {
  const many = Array.from({ length: 5_000 }, (_each, n) => `X-${n}: ${n}`).join('\r\n');
  for (const header of [`X: ${'y'.repeat(100_000)}`, many]) {
    const { received, closed } = await exchange(`GET /healthz HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`, 2_000);
    expect(received).toMatch(/^(HTTP\/1\.1 4\d\d |$)/);
    expect(closed).toBe(true);
  }
  expect((await console.call('GET', '/healthz')).status).toBe(200);
});

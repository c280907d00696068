import { connect } from 'node:net';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  missingRgwPackages,
  missingSwiftPackages,
  startCountingProxy,
  startFauxqs,
  startFauxqsProcess,
  startRgw,
  startSwift,
} from '@weir/testkit/s3';
import type { CountingProxy, FauxqsServer } from '@weir/testkit/s3';

let server: FauxqsServer;
let proxy: CountingProxy;

beforeAll(async () => {
  server = await startFauxqs();
  proxy = await startCountingProxy(server.url);
});

afterAll(async () => {
  await proxy.stop();
  await server.stop();
});

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** One request whose path no URL parser touches. */
function send(
  base: string,
  method: string,
  path: string,
  body: Buffer | string = '',
  headers: Record<string, string> = {},
): Promise<Answer> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const outgoing = request({ hostname, port, method, path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        const body = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
      });
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

/** Sends a PUT that says how long its body is, and ends the connection when the body given has gone. */
async function sendAndDie(base: string, path: string, body: string, saysBytes: number): Promise<void> {
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  socket.write(`PUT ${path} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: ${saysBytes}\r\n\r\n${body}`);
  // Half of what the server waits, so that it has begun nothing when the client goes.
  await new Promise((resolve) => setTimeout(resolve, 100));
  socket.destroy();
}

function keysOf(listing: string): string[] {
  return [...listing.matchAll(/<Key>([^<]*)<\/Key>/g)].map((match) => decodeURIComponent(match[1] ?? ''));
}

async function isListening(url: string, host = '127.0.0.1'): Promise<boolean> {
  const { port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), host);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

describe('fauxqs, corrected', () => {
  test('stores empty objects, with and without a content type', async () => {
    await send(server.url, 'PUT', '/empty');
    for (const [key, headers] of [
      ['a', {}],
      ['b', { 'content-type': 'text/plain' }],
    ] as const) {
      expect(await send(server.url, 'PUT', `/empty/${key}`, '', { 'content-length': '0', ...headers })).toMatchObject({
        status: 200,
      });
      expect(await send(server.url, 'GET', `/empty/${key}`)).toMatchObject({
        status: 200,
        body: '',
        headers: { etag: '"d41d8cd98f00b204e9800998ecf8427e"' },
      });
    }
  });

  test('takes bodies of any type, and larger than 11 MiB', async () => {
    await send(server.url, 'PUT', '/bodies');
    for (const type of ['application/x-www-form-urlencoded', 'application/json', 'application/x-amz-json-1.0']) {
      await send(server.url, 'PUT', '/bodies/typed', 'a=b&c', { 'content-type': type });
      expect(await send(server.url, 'GET', '/bodies/typed')).toMatchObject({
        body: 'a=b&c',
        headers: { 'content-type': type },
      });
    }
    expect(await send(server.url, 'PUT', '/bodies/large', Buffer.alloc(20_000_000))).toMatchObject({ status: 200 });
  });

  test('lists in the order of bytes, page by page, without losing or repeating a key', async () => {
    await send(server.url, 'PUT', '/order');
    const keys = ['a', 'B', '_', 'z/1', 'Z', 'é', '\uffee', '😀', '\u0001', 'a b', 'a/'];
    for (const key of keys) await send(server.url, 'PUT', `/order/${encodeURIComponent(key)}`, 'x');
    const found: string[] = [];
    let token = '';
    do {
      const page = await send(server.url, 'GET', `/order?list-type=2&encoding-type=url&max-keys=2${token}`);
      found.push(...keysOf(page.body));
      const next = /<NextContinuationToken>([^<]*)</.exec(page.body)?.[1];
      token = next === undefined ? '' : `&continuation-token=${encodeURIComponent(next)}`;
    } while (token !== '');
    expect(found).toEqual(keys.toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right))));
    const after = await send(server.url, 'GET', '/order?list-type=2&encoding-type=url&start-after=Z');
    expect(keysOf(after.body)).toEqual(found.slice(found.indexOf('Z') + 1));
    await send(server.url, 'DELETE', '/order/Z');
    await send(server.url, 'PUT', '/order/Y', 'x');
    const changed = await send(server.url, 'GET', '/order?list-type=2&encoding-type=url&prefix=Y');
    expect(keysOf(changed.body)).toEqual(['Y']);
    const folders = await send(server.url, 'GET', '/order?list-type=2&delimiter=/');
    expect(folders.body).toContain('<CommonPrefixes><Prefix>a/</Prefix>');
    expect(folders.body).toContain('<CommonPrefixes><Prefix>z/</Prefix>');
  });

  test('keeps the content headers of an object', async () => {
    await send(server.url, 'PUT', '/headers');
    const headers = {
      'cache-control': 'no-cache',
      'content-disposition': 'inline',
      'content-language': 'de',
      expires: '0',
    };
    await send(server.url, 'PUT', '/headers/a', 'x', { ...headers, 'x-amz-meta-note': 'n' });
    const { headers: kept } = await send(server.url, 'GET', '/headers/a');
    expect(kept).toMatchObject({ ...headers, 'x-amz-meta-note': 'n' });
    expect(Object.keys(kept).filter((name) => name.startsWith('x-amz-meta-'))).toEqual(['x-amz-meta-note']);
  });

  test('lists uploads and their parts until they are aborted', async () => {
    await send(server.url, 'PUT', '/uploads');
    const created = await send(server.url, 'POST', '/uploads/a%20b?uploads=');
    const id = /<UploadId>([^<]*)</.exec(created.body)?.[1] ?? '';
    await send(server.url, 'PUT', `/uploads/a%20b?partNumber=2&uploadId=${id}`, 'xyz');
    const parts = await send(server.url, 'GET', `/uploads/a%20b?uploadId=${id}`);
    expect(parts.body).toContain('<PartNumber>2</PartNumber>');
    expect(parts.body).toContain('<Size>3</Size>');
    expect(server.openUploadKeys('uploads')).toEqual(['a b']);
    expect(keysOf((await send(server.url, 'GET', '/uploads?uploads=')).body)).toEqual(['a b']);
    await send(server.url, 'DELETE', `/uploads/a%20b?uploadId=${id}`);
    expect(server.openUploadKeys('uploads')).toEqual([]);
    expect(await send(server.url, 'GET', `/uploads/a%20b?uploadId=${id}`)).toMatchObject({ status: 404 });
  });

  test('listens on loopback only, and as a process ends with stop()', async () => {
    const child = await startFauxqsProcess();
    expect(child.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await send(child.url, 'PUT', '/b')).toMatchObject({ status: 200 });
    // A server on all addresses would answer here too.
    expect(await isListening(child.url, '127.0.0.2')).toBe(false);
    expect(await isListening(server.url, '127.0.0.2')).toBe(false);
    await child.stop();
    expect(await isListening(child.url)).toBe(false);
    expect(() => process.kill(child.pid, 0)).toThrow('ESRCH');
  });
});

describe('the counting proxy', () => {
  test('passes targets byte for byte and names the operation of each', async () => {
    await send(server.url, 'PUT', '/counted');
    proxy.reset();
    const requests = [
      ['GET', '/', 'ListBuckets'],
      ['HEAD', '/counted', 'HeadBucket'],
      ['GET', '/counted?list-type=2', 'ListObjectsV2'],
      ['PUT', '/counted/a/../b//%2F', 'PutObject'],
      ['HEAD', '/counted/a/../b//%2F', 'HeadObject'],
      ['GET', '/counted/a/../b//%2F', 'GetObject'],
      ['POST', '/counted/k?uploads', 'CreateMultipartUpload'],
      ['PUT', '/counted/k?partNumber=1&uploadId=u', 'UploadPart'],
      ['POST', '/counted/k?uploadId=u', 'CompleteMultipartUpload'],
      ['DELETE', '/counted/k?uploadId=u', 'AbortMultipartUpload'],
      ['GET', '/counted/k?uploadId=u', 'ListParts'],
      ['GET', '/counted?uploads', 'ListMultipartUploads'],
      ['DELETE', '/counted/k', 'DeleteObject'],
    ] as const;
    for (const [method, path] of requests) await send(proxy.url, method, path, method === 'PUT' ? 'x' : '');
    expect(proxy.requests().map(({ method, target, operation }) => [method, target, operation])).toEqual(requests);
    expect(proxy.counts()).toMatchObject({ PutObject: 1, GetObject: 1, ListObjectsV2: 1 });
    expect(proxy.requests()[5]).toMatchObject({ status: 200 });
  });

  test('breaks exactly the requests that it was told to', async () => {
    await send(server.url, 'PUT', '/broken');
    await send(server.url, 'PUT', '/broken/a', 'abcdef');
    proxy.inject({ type: 'error', operation: 'GetObject', times: 2 });
    proxy.inject({ type: 'cut-body', afterBytes: 3, operation: 'GetObject', targetContains: '/a' });
    expect(await send(proxy.url, 'HEAD', '/broken/a')).toMatchObject({ status: 200 });
    for (let count = 0; count < 2; count++) {
      const refused = await send(proxy.url, 'GET', '/broken/a');
      expect(refused).toMatchObject({ status: 503 });
      expect(refused.body).toContain('<Code>SlowDown</Code>');
    }
    await expect(send(proxy.url, 'GET', '/broken/a')).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(await send(proxy.url, 'GET', '/broken/a')).toMatchObject({ status: 200, body: 'abcdef' });
    expect(proxy.pendingFaults()).toBe(0);
  });

  test('hears what the server answers to a change whose client has died, and forgets what was not sent whole', async () => {
    const slow = await startFauxqs({ requestDelayMs: 200 });
    const between = await startCountingProxy(slow.url);
    try {
      await send(slow.url, 'PUT', '/left');
      await sendAndDie(between.url, '/left/whole', 'abc', 3);
      await sendAndDie(between.url, '/left/half', 'abc', 6);
      await vi.waitFor(() => expect(between.requests().map(({ answered }) => answered)).toEqual([200, 0]), 10_000);
      expect(between.requests().map(({ status }) => status)).toEqual([0, 0]);
      expect(await send(slow.url, 'GET', '/left/whole')).toMatchObject({ status: 200, body: 'abc' });
      expect(await send(slow.url, 'GET', '/left/half')).toMatchObject({ status: 404 });
      expect(await send(between.url, 'GET', '/left/whole')).toMatchObject({ status: 200, body: 'abc' });
      expect(between.requests().at(-1)).toMatchObject({ status: 200, answered: 200 });
    } finally {
      await between.stop();
      await slow.stop();
    }
  });

  test('says of a request that a fault took in its place that the server did not answer', async () => {
    await send(server.url, 'PUT', '/faults');
    proxy.reset();
    proxy.inject({ type: 'error', operation: 'PutObject' });
    proxy.inject({ type: 'lost-answer', operation: 'PutObject' });
    await send(proxy.url, 'PUT', '/faults/refused', 'x');
    await expect(send(proxy.url, 'PUT', '/faults/unheard', 'x')).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(proxy.requests()).toMatchObject([
      { status: 503, answered: 0 },
      { status: 0, answered: 200 },
    ]);
  });
});

describe('Ceph RGW', () => {
  test('starts on ports of its own, twice at once, and stops exactly what it started', async () => {
    const [first, second] = await Promise.all([startRgw(), startRgw()]);
    expect(await send(first.url, 'GET', '/')).toMatchObject({ status: 200 });
    expect(await send(second.url, 'GET', '/')).toMatchObject({ status: 200 });
    await first.stop();
    for (const pid of Object.values(first.pids)) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect(await send(second.url, 'GET', '/')).toMatchObject({ status: 200 });
    await second.stop();
    for (const pid of Object.values(second.pids)) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  test('says which packages to install when programs are missing', async () => {
    const { PATH } = process.env;
    process.env['PATH'] = '/nowhere';
    try {
      expect(missingRgwPackages()).toEqual(['radosgw', 'ceph-mon', 'ceph-osd', 'ceph-common']);
      await expect(startRgw()).rejects.toThrow('apt-get install -y radosgw ceph-mon ceph-osd ceph-common');
      expect(missingSwiftPackages()).toEqual([
        'swift-proxy',
        'swift-account',
        'swift-container',
        'swift-object',
        'memcached',
      ]);
      await expect(startSwift()).rejects.toThrow('apt-get install -y swift-proxy swift-account');
    } finally {
      process.env['PATH'] = PATH;
    }
  });
});

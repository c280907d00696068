import type { LookupFunction } from 'node:net';
import { expect, test } from 'vitest';
import { callContext, probeBucket, S3Client, type ConnectOptions } from '../../src/index.ts';

const FORBIDDEN = '169.254.169.254';
const refuses = (address: string): boolean => address === FORBIDDEN || address === 'fe80::1';

/** A name server that gives each of these answers in turn, and the names that it was asked for. */
function nameServer(...answers: string[]): { asked: string[]; lookup: LookupFunction } {
  const asked: string[] = [];
  return {
    asked,
    lookup: (host, options, done) => {
      const address = answers[Math.min(asked.length, answers.length - 1)] ?? '';
      asked.push(host);
      const family = address.includes(':') ? 6 : 4;
      if (options.all === true) done(null, [{ address, family }]);
      else done(null, address, family);
    },
  };
}

async function head(url: string, connect: ConnectOptions): Promise<unknown> {
  const client = new S3Client({ url, region: 'r', credentials: { accessKeyId: 'k', secretAccessKey: 's' }, connect });
  try {
    return await client.send({ operation: 'HeadBucket', method: 'HEAD', bucket: 'b', key: null }, callContext());
  } catch (error) {
    return error;
  } finally {
    await client.close();
  }
}

test('a name that leads to a refused address is not connected to, and not asked for again and again', async () => {
  const names = nameServer(FORBIDDEN);
  expect(await head('http://s3.test', { refuses, lookup: names.lookup })).toMatchObject({ code: 'forbidden-address' });
  expect(names.asked).toEqual(['s3.test']);
});

test.each([
  `http://${FORBIDDEN}`,
  'http://0xa9fea9fe',
  'http://2852039166:80',
  'http://0251.0376.169.254',
  'http://[fe80::1]',
])('the address %s itself is not connected to', async (url) => {
  expect(await head(url, { refuses })).toMatchObject({ code: 'forbidden-address' });
});

test('a name that leads elsewhere after it was checked is refused at its next connection', async () => {
  // Nobody listens at port 1: the first attempt fails to connect, the second meets another answer.
  const names = nameServer('127.0.0.1', FORBIDDEN);
  expect(await head('http://s3.test:1', { refuses, lookup: names.lookup })).toMatchObject({
    code: 'forbidden-address',
  });
  expect(names.asked).toEqual(['s3.test', 's3.test']);
});

test('a bucket that is put before the host is part of the name that is held against the rule', async () => {
  const names = nameServer(FORBIDDEN);
  const credentials = { accessKeyId: 'k', secretAccessKey: 's' };
  const connect = { refuses, lookup: names.lookup };
  const client = { url: 'http://nip.test', region: 'r', pathStyle: false, credentials, connect };
  await expect(probeBucket(client, '169.254.169.254', new AbortController().signal)).rejects.toMatchObject({
    kind: 'unreachable',
    message: expect.stringContaining('nothing is sent'),
  });
  expect(names.asked).toEqual(['169.254.169.254.nip.test']);
});

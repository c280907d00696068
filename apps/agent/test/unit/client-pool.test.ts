import type { S3Location } from '@weir/protocol';
import { callContext, headBucket, S3Client } from '@weir/s3-copy';
import { describe, expect, test } from 'vitest';
import { ClientPool } from '../../src/s3/client-pool.ts';

const location: S3Location = {
  url: 'http://s3.test',
  region: 'us-east-1',
  pathStyle: true,
  accessKeyId: 'key',
  secretAccessKey: 'secret',
  bucket: 'a',
  prefix: '',
};

function watchedPool(): { pool: ClientPool; made: S3Client[]; closed: S3Client[] } {
  const made: S3Client[] = [];
  const closed: S3Client[] = [];
  const pool = new ClientPool(
    () => 0,
    ({ url, region, accessKeyId, secretAccessKey }) => {
      const client = new S3Client({ url, region, credentials: { accessKeyId, secretAccessKey } });
      client.close = async () => void closed.push(client);
      made.push(client);
      return client;
    },
  );
  return { pool, made, closed };
}

describe('S3 clients', () => {
  test('are shared by all shards of one server and credentials, whatever the bucket', () => {
    const { pool, made } = watchedPool();
    const first = pool.borrow(location);
    const second = pool.borrow({ ...location, bucket: 'b', prefix: 'p/' });
    expect(second.client).toBe(first.client);
    expect(made).toHaveLength(1);
  });

  test.each<Partial<S3Location>>([
    { url: 'http://other.test' },
    { region: 'eu-west-1' },
    { pathStyle: false },
    { accessKeyId: 'other' },
    { secretAccessKey: 'changed' },
  ])('are not shared across %o', (difference) => {
    const { pool } = watchedPool();
    expect(pool.borrow({ ...location, ...difference }).client).not.toBe(pool.borrow(location).client);
  });

  test('are closed when the last user has gone, once, and made anew for the next', async () => {
    const { pool, made, closed } = watchedPool();
    const first = pool.borrow(location);
    const second = pool.borrow(location);
    first.giveBack();
    first.giveBack();
    expect(closed).toEqual([]);
    second.giveBack();
    await pool.close();
    expect(closed).toEqual(made);
    pool.borrow(location);
    expect(made).toHaveLength(2);
  });
});

test('an agent is not sent to the metadata service of its machine, however the address is written', async () => {
  const pool = new ClientPool(() => 0);
  for (const url of [
    'http://169.254.169.254',
    'http://0xa9fea9fe',
    'http://[::ffff:a9fe:a9fe]',
    'http://100.100.100.200',
  ]) {
    const { client, giveBack } = pool.borrow({ ...location, url });
    await expect(headBucket(client, 'a', callContext())).rejects.toMatchObject({ code: 'forbidden-address' });
    giveBack();
  }
  await pool.close();
});

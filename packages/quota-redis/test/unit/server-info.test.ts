import { expect, test } from 'vitest';
import { healthOf } from '../../src/server-info.ts';

const info = (runId: string, policy: string): string =>
  [
    '# Server',
    `run_id:${runId}`,
    '# Memory',
    'used_memory:1000',
    'maxmemory:4000',
    `maxmemory_policy:${policy}`,
    '# Stats',
    'evicted_keys:3',
    '# Keyspace',
    'db0:keys=10,expires=7,avg_ttl=1',
    'db3:keys=5,expires=5,avg_ttl=0,subexpiry=0',
    '',
  ].join('\r\n');

test('entries without a deadline are counted over all databases', () => {
  expect(healthOf([info('abc', 'volatile-ttl')])).toEqual({
    instance: 'abc',
    evictionPolicy: 'volatile-ttl',
    evicted: 3,
    usedBytes: 1_000,
    maxBytes: 4_000,
    entries: 15,
    undated: 3,
  });
});

test('the nodes of a cluster are added up, whatever order they answer in', () => {
  const one = healthOf([info('abc', 'noeviction'), info('xyz', 'allkeys-lru')]);
  const other = healthOf([info('xyz', 'allkeys-lru'), info('abc', 'noeviction')]);
  expect(one).toEqual(other);
  expect(one).toMatchObject({ instance: 'abc,xyz', evictionPolicy: 'allkeys-lru,noeviction', entries: 30, evicted: 6 });
});

test('what a server does not say is left out, and no memory limit is no number', () => {
  expect(healthOf(['run_id:a\r\nmaxmemory:0\r\n'])).toEqual({ instance: 'a', entries: 0, undated: 0 });
  expect(healthOf([''])).toEqual({ entries: 0, undated: 0 });
});

import {
  startCountingProxy,
  startFauxqsProcess,
  startSwift,
  type CountingProxy,
  type S3TestServer,
} from '@weir/testkit/s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { weir } from '../support/running.ts';
import { Store } from '../support/stores.ts';

const OBJECTS = 60;
const STORE_LIMIT = 20;

let from: S3TestServer;
let to: S3TestServer;
let proxy: CountingProxy;
let source: Store;
let target: Store;
/** Gives up at the first refusal. */
let impatient: Store;

beforeAll(async () => {
  const ratelimit = { containerWritesPerSecond: STORE_LIMIT, maxSleepSeconds: 0.2, burstSeconds: 0 };
  [from, to] = await Promise.all([startFauxqsProcess(), startSwift({ ratelimit })]);
  proxy = await startCountingProxy(to.url);
  source = new Store(from);
  target = new Store(to);
  impatient = new Store(to, 1);
  await source.fill('src', OBJECTS);
});

afterAll(async () => {
  await Promise.all([source.close(), target.close(), impatient.close(), proxy.stop()]);
  await Promise.all([from.stop(), to.stop()]);
});

function slowDowns(): number {
  return proxy.requests().filter(({ status }) => status === 503).length;
}

/** Swift limits a bucket once it has seen something in it; it looks once a second. */
async function limitedBucket(bucket: string): Promise<void> {
  await target.makeBucket(bucket);
  await impatient.put(bucket, 'first', 'x');
  await expect
    .poll(
      async () => {
        const puts = Array.from({ length: 20 }, () => impatient.put(bucket, 'first', 'x'));
        return (await Promise.allSettled(puts)).some(({ status }) => status === 'rejected');
      },
      { timeout: 20_000, interval: 300 },
    )
    .toBe(true);
}

function copy(bucket: string, ...more: string[]): ReturnType<typeof weir> {
  const flags = [...source.flags('source'), ...target.flags('target', proxy.url)];
  return weir('copy', 's3://src', `s3://${bucket}/copy/`, ...flags, '--json', '--quiet', ...more);
}

describe('weir copy to a store that limits requests (OpenStack Swift)', () => {
  it('within the limit is never told to slow down', async () => {
    await limitedBucket('within');
    proxy.reset();
    const ran = await copy('within', '--tps', '14');
    expect(ran.code).toBe(0);
    expect(slowDowns()).toBe(0);
    expect((await target.objects('within')).size).toBe(OBJECTS + 1);
  });

  it('without one is, backs off, and loses nothing all the same', async () => {
    await limitedBucket('beyond');
    proxy.reset();
    const ran = await copy('beyond', '--holdoff-seconds', '0.5-1');
    expect(ran.code).toBe(0);
    expect(slowDowns()).toBeGreaterThan(0);
    expect(JSON.parse(ran.out)).toMatchObject({ counters: { objectsCopied: OBJECTS, objectsFailed: 0 } });
    expect((await target.objects('beyond')).size).toBe(OBJECTS + 1);
  });
});

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { startManyKeys } from '@weir/testkit/s3';
import type { ManyKeysOptions, ManyKeysServer } from '@weir/testkit/s3';

const MIB = 1024 * 1024;
const child = fileURLToPath(new URL('many-keys-child.ts', import.meta.url));
const root = fileURLToPath(new URL('../../../..', import.meta.url));

interface Outcome {
  objects: number;
  live: Record<string, number>;
  ms: number;
  startRssBytes: number;
  peakRssBytes: number;
}

async function inChild(server: ManyKeysServer, options: object): Promise<Outcome> {
  const { url, region, accessKeyId, secretAccessKey } = server;
  const argument = JSON.stringify({ server: { url, region, accessKeyId, secretAccessKey }, ...options });
  const node = ['--conditions=@weir/source', '--import', 'tsx', child, argument];
  const { stdout } = await promisify(execFile)(process.execPath, node, { cwd: root });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by the child beside it
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Outcome;
}

async function withServer<T>(options: ManyKeysOptions, use: (server: ManyKeysServer) => Promise<T>): Promise<T> {
  const server = await startManyKeys(options);
  try {
    return await use(server);
  } finally {
    await server.stop();
  }
}

describe('a bucket of 1,000,000 objects', () => {
  test('is compared with its copy in less than 200 MB of memory and one request for 1,000 objects on either side', async () => {
    await withServer({ keys: 1_000_000 }, async (server) => {
      const outcome = await inChild(server, { source: 'all', target: 'lacks-100', listings: 2 });
      expect(outcome.objects).toBe(1_000_000);
      expect(outcome.live).toMatchObject({
        objectsListed: 1_000_000,
        objectsCopied: 10_000,
        objectsSkipped: 990_000,
        objectsFailed: 0,
      });
      expect(server.counts()['ListObjectsV2 all']).toBe(1_000);
      expect(server.counts()['ListObjectsV2 lacks-100']).toBe(990);
      expect(server.counts()['HeadObject lacks-100']).toBeUndefined();
      expect(outcome.peakRssBytes).toBeLessThan(200 * MIB);
    });
  }, 60_000);
});

describe('a bucket of 100,000 objects', () => {
  test('on a server that is 20 ms away and sends 100 keys a page is listed several times as fast by several requests', async () => {
    await withServer({ keys: 100_000, pageSize: 100, latencyMs: 20 }, async (server) => {
      const outcome = await inChild(server, { source: 'all', target: null, listings: 8 });
      expect(outcome.objects).toBe(100_000);
      const requests = server.counts()['ListObjectsV2 all'] ?? 0;
      expect(requests).toBeLessThan(1_100);
      expect(server.peakConcurrency()).toBeLessThanOrEqual(8);
      // One after the other, the answers alone would take their number × 20 ms.
      expect(outcome.ms).toBeLessThan((1_000 * 20) / 2);
    });
  }, 60_000);
});

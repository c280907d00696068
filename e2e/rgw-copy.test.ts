import { startRgw } from '@weir/testkit/s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { comparePlaces } from '../apps/cli/src/demo/objects.ts';
import { assemble, type Product } from './fixtures/product.ts';

const OBJECTS = 5_000;

describe('a whole Weir over Ceph RGW', () => {
  let product: Product;

  beforeAll(async () => {
    const rgw = await startRgw();
    product = await assemble({ objects: OBJECTS, windowSeconds: 3 }, rgw, rgw, () => rgw.stop());
    await product.setLimit(400);
    for (const name of ['agent-1', 'agent-2', 'agent-3']) await product.fleet.addAgent({ name, concurrency: 24 });
  });

  afterAll(() => product?.stop());

  it('copies 5,000 objects, empty and multipart ones among them, byte-identical and within every credit budget', async () => {
    const jobId = await product.startJob('RGW to RGW');
    const job = await product.untilJobIs(jobId, 'completed', 150_000);
    expect(job.counters).toMatchObject({ objectsCopied: OBJECTS, objectsFailed: 0 });

    const { missing, unexpected, different, objects } = await comparePlaces(product.sourcePlace, product.targetPlace);
    expect({ missing, unexpected, different, objects }).toEqual({
      missing: [],
      unexpected: [],
      different: [],
      objects: OBJECTS,
    });

    const { windows } = await product.fleet.admin.call('windows', { query: { limit: 1_000 } });
    expect(windows.length).toBeGreaterThan(3);
    expect(windows.filter(({ chargedOps, creditBudget }) => chargedOps > creditBudget)).toEqual([]);
    expect(job.counters.parkedMs).toBeGreaterThan(0);
  });
});

import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { demoContent, demoObjects, LARGE_OBJECT_BYTES } from '../../src/demo/dataset.ts';

function hash(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

describe('the demo data', () => {
  const objects = [...demoObjects(5_000)];

  it('has exactly the wanted number of objects, all with different keys', () => {
    expect(new Set(objects.map((object) => object.key)).size).toBe(5_000);
  });

  it('holds empty objects and one above the multipart threshold', () => {
    expect(objects.filter((object) => object.sizeBytes === 0).length).toBeGreaterThan(40);
    expect(objects.filter((object) => object.sizeBytes >= 128 * 1_024 * 1_024)).toEqual([
      { key: 'media/reel-0001.mov', sizeBytes: LARGE_OBJECT_BYTES },
    ]);
  });

  it('is the same every time and differs from object to object and from part to part', () => {
    expect([...demoObjects(50)]).toEqual([...demoObjects(50)]);
    expect(hash(demoContent({ key: 'a', sizeBytes: 100 }))).not.toBe(hash(demoContent({ key: 'b', sizeBytes: 100 })));
    const parts = demoContent({ key: 'a', sizeBytes: 2 * 1_048_576 });
    expect(parts.subarray(0, 1_048_576).equals(parts.subarray(1_048_576))).toBe(false);
  });
});

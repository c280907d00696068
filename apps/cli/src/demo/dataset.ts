import { createHash } from 'node:crypto';

/** One object of the demo's source bucket. */
export interface DemoObject {
  key: string;
  sizeBytes: number;
}

const AWKWARD_NAMES = [
  'with space.txt',
  'plus+sign.txt',
  'percent%20.txt',
  'ampersand&question?.txt',
  'hash#tag.txt',
  'größe-数据-🌊.txt',
  'quote\'s "double".txt',
];

/** Size of the one object that is copied in parts: above the 128 MiB threshold. */
export const LARGE_OBJECT_BYTES: number = 136 * 1_024 * 1_024;

/**
 * The demo's objects: `count` in all, of which one is large, every hundredth is empty and a few have awkward names.
 * The same count always makes the same objects.
 */
export function* demoObjects(count: number): Generator<DemoObject> {
  yield { key: 'media/reel-0001.mov', sizeBytes: LARGE_OBJECT_BYTES };
  const awkward = AWKWARD_NAMES.slice(0, Math.max(0, count - 1));
  for (const [index, name] of awkward.entries()) yield { key: `odd names/${name}`, sizeBytes: 100 + index };
  for (let index = 0; index < count - 1 - awkward.length; index += 1) {
    const digest = createHash('sha256').update(`weir-demo-${index}`).digest();
    const folder = ['logs', 'thumbnails', 'invoices', 'sensors'][digest.readUInt8(0) % 4] ?? 'logs';
    const sizeBytes = index % 100 === 0 ? 0 : 64 + (digest.readUInt16BE(1) % 4_032);
    yield { key: `${folder}/${digest.toString('hex', 3, 5)}/${String(index).padStart(7, '0')}.bin`, sizeBytes };
  }
}

/** Bytes of an object: a pattern that depends on key and position, so that a mix-up never goes unnoticed. */
export function demoContent({ key, sizeBytes }: DemoObject): Buffer {
  const seed = createHash('sha512').update(key).digest();
  const content = Buffer.alloc(sizeBytes, seed);
  // A counter in each MiB: the repeated seed alone would hide swapped parts of a multipart copy.
  for (let offset = 0; offset + 4 <= sizeBytes; offset += 1_048_576) content.writeUInt32BE(offset >>> 20, offset);
  return content;
}

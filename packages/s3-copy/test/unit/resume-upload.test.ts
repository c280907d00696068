import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { callContext } from '../../src/client.ts';
import { copyRange } from '../../src/copy-range.ts';
import { createMultipartUpload, uploadPart } from '../../src/operations/multipart.ts';
import type { Upload } from '../../src/operations/multipart.ts';
import { setUp } from './two-memory-servers.ts';

const CONTENT = Buffer.from(Array.from({ length: 11_000 }, (_, index) => (index * 7) % 253));
const HEADERS = { 'content-type': 'x/y', 'x-amz-meta-a': 'b' };

/** A source of four parts of 3,000 bytes, and an upload at the target that somebody left. */
async function leftUpload(parts: { partNumber: number; bytes: Buffer }[], headers: Record<string, string> = HEADERS) {
  const up = setUp();
  const { target, options } = up;
  up.source.put('large', CONTENT, HEADERS);
  const upload = await leave(up, parts, headers);
  target.log.length = 0;
  return { ...up, upload, options: { ...options, abortLeftUploads: true } };
}

async function leave(
  { options }: ReturnType<typeof setUp>,
  parts: { partNumber: number; bytes: Buffer }[],
  headers: Record<string, string> = HEADERS,
): Promise<Upload> {
  const { client } = options.target;
  const call = callContext();
  const request = { bucket: 'dst', key: 'large', headers: Object.entries(headers) };
  const upload = await createMultipartUpload(client, request, call);
  for (const { partNumber, bytes } of parts) {
    await uploadPart(client, upload, { partNumber, body: { type: 'bytes', bytes } }, call, 0);
  }
  return upload;
}

const part = (partNumber: number) => ({
  partNumber,
  bytes: CONTENT.subarray((partNumber - 1) * 3_000, partNumber * 3_000),
});
const sent = (log: readonly string[], operation: string): number => log.filter((each) => each === operation).length;

describe('an upload that a killed run left', () => {
  test('is continued: its parts are compared with the source and not sent again', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { minLength: 1 }), async (numbers) => {
        const { source, target, options } = await leftUpload(numbers.map(part));
        const { snapshot } = await copyRange(options).result;
        expect(snapshot.live).toMatchObject({ objectsCopied: 1, bytesCopied: CONTENT.length });
        expect(target.objects.get('large')!.bytes).toEqual(CONTENT);
        expect(target.objects.get('large')!.headers).toEqual(HEADERS);
        expect(sent(target.log, 'CreateMultipartUpload')).toBe(0);
        expect(sent(target.log, 'UploadPart')).toBe(4 - numbers.length);
        expect(sent(source.log, 'GetObject')).toBe(4);
        expect(target.uploads.size).toBe(0);
      }),
    );
  });

  test('is not even read again where the source has the multipart ETag of the same parts', async () => {
    const { source, target, options } = await leftUpload([part(1), part(3)]);
    source.putInParts('large', CONTENT, [3_000, 3_000, 3_000, 2_000], HEADERS);
    const verified: string[] = [];
    await copyRange({ ...options, onEntry: (entry) => void verified.push(entry.verified) }).result;
    expect(sent(source.log, 'GetObject')).toBe(2);
    expect(sent(target.log, 'UploadPart')).toBe(2);
    expect(target.objects.get('large')!.etag).toBe(source.objects.get('large')!.etag);
    expect(verified).toEqual(['etag']);
  });

  test('whose parts are of another version is never completed with them, whatever the source has for an ETag', async () => {
    for (const inParts of [false, true]) {
      const stale = Buffer.alloc(3_000, 9);
      const { source, target, options } = await leftUpload([part(1), { partNumber: 2, bytes: stale }]);
      if (inParts) source.putInParts('large', CONTENT, [3_000, 3_000, 3_000, 2_000], HEADERS);
      const { snapshot } = await copyRange(options).result;
      expect(snapshot.live).toMatchObject({ objectsCopied: 1, objectsFailed: 0 });
      expect(target.objects.get('large')!.bytes).toEqual(CONTENT);
      expect(target.uploads.size).toBe(0);
    }
  });

  test('with other headers than the object is not left in place', async () => {
    const { target, options } = await leftUpload([1, 2, 3, 4].map(part), { 'content-type': 'x/other' });
    await copyRange(options).result;
    expect(target.objects.get('large')).toMatchObject({ bytes: CONTENT, headers: HEADERS });
    expect(sent(target.log, 'CreateMultipartUpload')).toBe(1);
  });

  test.each([
    ['of another size', { partNumber: 1, bytes: CONTENT.subarray(0, 2_999) }],
    ['beyond the end', { partNumber: 5, bytes: CONTENT.subarray(0, 3_000) }],
  ])('is aborted when it has a part %s', async (_name, odd) => {
    const { target, options, upload } = await leftUpload([part(2), odd]);
    await copyRange(options).result;
    expect(target.objects.get('large')!.bytes).toEqual(CONTENT);
    expect(target.uploads.has(upload.uploadId)).toBe(false);
    expect(sent(target.log, 'CreateMultipartUpload')).toBe(1);
  });

  test('with the most parts is taken among several, and the others are aborted', async () => {
    const up = setUp();
    up.source.put('large', CONTENT, HEADERS);
    await leave(up, [part(1)]);
    await leave(up, [part(1), part(2), part(3)]);
    await leave(up, []);
    up.target.log.length = 0;
    await copyRange({ ...up.options, abortLeftUploads: true }).result;
    expect(up.target.objects.get('large')!.bytes).toEqual(CONTENT);
    expect(up.target.uploads.size).toBe(0);
    expect(sent(up.target.log, 'CreateMultipartUpload') * 4 + sent(up.target.log, 'UploadPart')).toBeLessThanOrEqual(4);
  });

  test('is not charged again', async () => {
    const { options } = await leftUpload([part(1)]);
    const charged: string[] = [];
    const gate = {
      charge: (operation: string, attempt: number) => {
        if (attempt === 0) charged.push(operation);
        return undefined;
      },
    };
    await copyRange({ ...options, gate }).result;
    expect(charged).not.toContain('CreateMultipartUpload');
  });
});

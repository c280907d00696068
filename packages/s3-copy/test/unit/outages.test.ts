import { describe, expect, test } from 'vitest';
import { copyRange } from '../../src/copy-range.ts';
import { errorReply } from './memory-s3.ts';
import { contentOf, pad, setUp, turns } from './two-memory-servers.ts';

describe('failures that may be the fault of the endpoint', () => {
  test('wait, in a run with only a few objects, for a server that does not answer any more', async () => {
    for (const away of ['source', 'target'] as const) {
      const { source, target, options, failures } = setUp();
      for (let index = 0; index < 5; index++) source.put(pad(index), 'x');
      const server = { source, target }[away];
      server.intercept = ({ operation }) =>
        operation === 'ListObjectsV2' ? undefined : errorReply(500, 'InternalError');
      const result = await copyRange(options).result;
      expect(result).toMatchObject({ state: 'failed', error: { code: 'InternalError', retryable: true } });
      expect(result.snapshot).toMatchObject({ checkpoint: null, live: { objectsFailed: 0 } });
      expect(failures).toEqual([]);
    }
  });

  test('are tried once more when others succeed after a short outage', async () => {
    const { source, target, options, failures } = setUp();
    for (let index = 0; index < 60; index++) source.put(pad(index), index % 4 === 0 ? Buffer.alloc(12_000) : 'x');
    const refused = new Map<string, number>();
    target.intercept = ({ operation, key }) => {
      const times = refused.get(key) ?? 0;
      if (!['PutObject', 'UploadPart'].includes(operation) || key > pad(9) || times >= 6) return undefined;
      refused.set(key, times + 1);
      return errorReply(500, 'InternalError');
    };
    const result = await copyRange({ ...options, concurrency: 4 }).result;
    expect(result.snapshot.live).toMatchObject({ objectsListed: 60, objectsCopied: 60, objectsFailed: 0 });
    expect(failures).toEqual([]);
    expect(contentOf(target)).toEqual(contentOf(source));
    expect(target.uploads.size).toBe(0);
  });

  test('do not count when the run is released while it is not known whose fault they are', async () => {
    const { source, target, options, failures } = setUp();
    for (let index = 0; index < 5; index++) source.put(pad(index), 'x');
    let puts = 0;
    const seen = (): number => puts;
    target.intercept = async ({ operation, key }, cancellation) => {
      if (operation === 'PutObject' && key !== pad(4)) return (puts++, errorReply(500, 'InternalError'));
      // The last one takes until the release cuts it off.
      if (operation === 'PutObject') await new Promise((_, reject) => cancellation.onCancel(reject));
      return undefined;
    };
    const run = copyRange(options);
    do await turns(1);
    while (seen() < 4 * 6);
    await turns(5);
    expect(await run.release()).toMatchObject({
      state: 'released',
      snapshot: { checkpoint: null, live: { objectsFailed: 0 } },
    });
    expect(failures).toEqual([]);
  });
});

test('an upload whose creation was not answered is not left behind', async () => {
  for (const lost of [2, Number.POSITIVE_INFINITY]) {
    const { source, target, options } = setUp();
    source.put('a', Buffer.alloc(12_000));
    target.uploads.set('early', { key: 'a longer key', headers: {}, parts: new Map() });
    let creations = 0;
    target.intercept = ({ operation, key }) => {
      if (operation !== 'CreateMultipartUpload' || ++creations > lost) return undefined;
      target.uploads.set(`lost-${pad(creations)}`, { key, headers: {}, parts: new Map() });
      return errorReply(500, 'InternalError');
    };
    const result = await copyRange(options).result;
    expect(result.snapshot.live.objectsCopied).toBe(lost === 2 ? 1 : 0);
    expect([...target.uploads.keys()]).toEqual(['early']);
  }
});

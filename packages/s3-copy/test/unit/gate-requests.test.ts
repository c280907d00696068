import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { copyRange } from '../../src/copy-range.ts';
import type { OperationGate } from '../../src/gate.ts';
import { errorReply } from './memory-s3.ts';
import type { Interceptor, MemoryS3 } from './memory-s3.ts';
import { setUp } from './two-memory-servers.ts';

/** Counts what a gate is told; the names of requests as the server sees them. */
function listening() {
  const told: Record<string, number> = {};
  const first: Record<string, number> = {};
  const gate: OperationGate = {
    charge: (operation, attempt) => {
      told[operation] = (told[operation] ?? 0) + 1;
      if (attempt === 0) first[operation] = (first[operation] ?? 0) + 1;
      return undefined;
    },
  };
  return { gate, told, first };
}

function countOf(...servers: MemoryS3[]): Record<string, number> {
  const sent: Record<string, number> = {};
  for (const { log } of servers) {
    for (const operation of log) sent[operation] = (sent[operation] ?? 0) + 1;
  }
  return sent;
}

/** Fails each request as often as the list says before it lets it through; up to three times. */
function failing(plan: readonly number[], status: number): Interceptor {
  const left = new Map<string, number>();
  let turn = 0;
  return ({ method, path }) => {
    const name = `${method} ${path}`;
    const failures = left.get(name) ?? plan[turn++ % plan.length] ?? 0;
    left.set(name, failures - 1);
    return failures > 0 ? errorReply(status, 'InternalError') : undefined;
  };
}

const failures = fc.array(fc.nat(3), { minLength: 1, maxLength: 20 });

describe('the gate', () => {
  test('hears of every request that is sent, retries too, and of none that is not', async () => {
    await fc.assert(
      fc.asyncProperty(failures, failures, fc.boolean(), async (atSource, atTarget, tags) => {
        const { source, target, options } = setUp();
        for (const [key, bytes] of [
          ['empty', 0],
          ['small', 50],
          ['streamed', 5_000],
          ['parts', 12_000],
        ] as const) {
          source.put(key, Buffer.alloc(bytes, key), tags ? { 'x-amz-tagging-count': '1' } : {});
          if (tags) source.objects.get(key)!.tags = 'a=b';
        }
        source.intercept = failing(atSource, 500);
        target.intercept = failing(atTarget, 500);
        const { gate, told } = listening();
        const { snapshot } = await copyRange({ ...options, mode: 'incremental', gate }).result;
        expect(snapshot.live).toMatchObject({ objectsCopied: 4, objectsFailed: 0 });
        expect(told).toEqual(countOf(source, target));
      }),
      { numRuns: 60 },
    );
  });

  test('hears of what cleans up, although that waits for nobody', async () => {
    const { source, target, options } = setUp();
    source.put('parts', Buffer.alloc(12_000));
    target.intercept = ({ operation }) => (operation === 'UploadPart' ? errorReply(403, 'AccessDenied') : undefined);
    const { gate, told } = listening();
    await copyRange({ ...options, gate }).result;
    expect(target.log).toContain('AbortMultipartUpload');
    expect(told).toEqual(countOf(source, target));
  });

  test('is asked for the charge of an object once, however often throttles make it begin anew', async () => {
    const { source, target, options } = setUp();
    source.put('small', 'x');
    source.put('parts', Buffer.alloc(12_000));
    let left = 60;
    const slowDown: Interceptor = ({ operation }) =>
      operation !== 'ListObjectsV2' && left-- > 0 ? errorReply(503, 'SlowDown') : undefined;
    source.intercept = slowDown;
    target.intercept = slowDown;
    const { gate, first } = listening();
    const run = copyRange({ ...options, gate, onThrottled: () => void setImmediate(() => run.resume()) });
    const { snapshot } = await run.result;
    expect(snapshot.live).toMatchObject({ objectsCopied: 2, objectsFailed: 0 });
    expect(left).toBeLessThanOrEqual(0);
    expect(first).toMatchObject({ PutObject: 1, CreateMultipartUpload: 1 });
  });
});

describe('a throttle in the middle of a large object', () => {
  test('keeps the parts that are finished', async () => {
    const { source, target, options, throttled } = setUp();
    source.put('parts', Buffer.from(Array.from({ length: 30_000 }, (_, index) => index % 250)));
    let parts = 0;
    target.intercept = ({ operation }) =>
      operation === 'UploadPart' && ++parts > 6 && parts < 30 ? errorReply(503, 'SlowDown') : undefined;
    const run = copyRange({
      ...options,
      onThrottled: (error) => {
        throttled.push(error);
        setImmediate(() => run.resume());
      },
    });
    await run.result;
    expect(throttled.length).toBeGreaterThan(0);
    expect(target.objects.get('parts')!.bytes).toEqual(source.objects.get('parts')!.bytes);
    const sent = target.log.filter((each) => each === 'CreateMultipartUpload' || each === 'AbortMultipartUpload');
    expect(sent).toEqual(['CreateMultipartUpload']);
  });

  test('leaves no upload behind when the run ends during the pause', async () => {
    for (const how of ['abandon', 'release'] as const) {
      const { source, target, options } = setUp();
      source.put('parts', Buffer.alloc(30_000));
      target.intercept = ({ operation }) => (operation === 'UploadPart' ? errorReply(503, 'SlowDown') : undefined);
      const run = copyRange({ ...options, onThrottled: () => void setImmediate(() => void run[how]()) });
      expect((await run.result).state).toBe(how === 'abandon' ? 'abandoned' : 'released');
      expect(target.uploads.size).toBe(0);
    }
  });
});

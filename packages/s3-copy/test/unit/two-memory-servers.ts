import { createHash } from 'node:crypto';
import type { CopyFailure } from '../../src/checkpoint.ts';
import { S3Client } from '../../src/client.ts';
import type { CopyTuning } from '../../src/copy-plan.ts';
import type { CopyRangeOptions } from '../../src/copy-range.ts';
import type { S3Error } from '../../src/errors.ts';
import { compareUtf8 } from '../../src/utf8-order.ts';
import { FakeClock } from './fake-clock.ts';
import { MemoryS3 } from './memory-s3.ts';

/** Two servers in memory, small sizes, and a run between them. */
export function setUp(tuning: Partial<CopyTuning> = {}) {
  const source = new MemoryS3();
  const target = new MemoryS3();
  target.nowMs = source.nowMs + 60_000;
  const clock = new FakeClock();
  const credentials = { accessKeyId: 'a', secretAccessKey: 's' };
  const client = (url: string, transport: MemoryS3): S3Client =>
    new S3Client({ url, region: 'r', credentials, transport, clock });
  const failures: CopyFailure[] = [];
  const throttled: S3Error[] = [];
  const options = {
    source: { client: client('http://one', source), bucket: 'src', prefix: '' },
    target: { client: client('http://two', target), bucket: 'dst', prefix: '' },
    mode: 'copy-all',
    tuning: { multipartThresholdBytes: 10_000, partBytes: 3_000, bufferUpToBytes: 100, ...tuning },
    pageSize: 10,
    onThrottled: (error) => void throttled.push(error),
    onFailure: (failure) => void failures.push(failure),
  } satisfies CopyRangeOptions;
  return { source, target, clock, options, failures, throttled };
}

export const pad = (index: number): string => `k${String(index).padStart(4, '0')}`;

export function contentOf(server: MemoryS3): Map<string, string> {
  const entries = [...server.objects].sort(([left], [right]) => compareUtf8(left, right));
  return new Map(entries.map(([key, { bytes }]) => [key, createHash('sha256').update(bytes).digest('hex')]));
}

export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

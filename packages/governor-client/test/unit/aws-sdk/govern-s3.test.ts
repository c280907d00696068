import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  UploadPartCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { governS3, TransferMeter } from '../../../src/aws-sdk/index.ts';
import { GovernorStoppedError } from '../../../src/index.ts';
import { Bench, enforced, grant } from '../scripted-console.ts';
import { ScriptedS3, slowDown } from './scripted-s3.ts';

const at = { Bucket: 'b', Key: 'k' };
const put = (Key: string = 'k'): PutObjectCommand => new PutObjectCommand({ Bucket: 'b', Key, Body: 'x' });
const perRequest = { ...enforced, costModel: 'per-request' as const };

async function governed(
  credits: number,
  { limiter = enforced, ...more }: { limiter?: typeof enforced } & ConstructorParameters<typeof ScriptedS3>[1] = {},
): Promise<{ bench: Bench; s3: ScriptedS3; used: () => number }> {
  const bench = new Bench();
  await bench.startWith(grant(1, credits), limiter);
  const s3 = new ScriptedS3(bench.governor, more);
  return { bench, s3, used: () => credits - bench.governor.status.remainingCredits };
}

/** Uploads as `@aws-sdk/lib-storage` does: parts in parallel between a creation and a completion. */
async function uploadInParts(client: S3Client, parts: number): Promise<void> {
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(at));
  await Promise.all(
    Array.from({ length: parts }, (_, part) =>
      client.send(new UploadPartCommand({ ...at, UploadId, PartNumber: part + 1, Body: 'part' })),
    ),
  );
  const Parts = Array.from({ length: parts }, (_, part) => ({ PartNumber: part + 1, ETag: '"e"' }));
  await client.send(new CompleteMultipartUploadCommand({ ...at, UploadId, MultipartUpload: { Parts } }));
}

describe('costs per object', () => {
  test('a PUT, a copy and a page of a listing cost 1; what reads or removes costs nothing', async () => {
    const { s3, used } = await governed(100);
    await s3.client.send(put());
    await s3.client.send(new CopyObjectCommand({ ...at, CopySource: 'b/other' }));
    await s3.client.send(new ListObjectsV2Command({ Bucket: 'b' }));
    expect(used()).toBe(3);
    await s3.client.send(new GetObjectCommand(at));
    await s3.client.send(new HeadObjectCommand(at));
    await s3.client.send(new DeleteObjectCommand(at));
    expect(used()).toBe(3);
    expect(s3.sent).toHaveLength(6);
  });

  test('an object in parts costs 11 once, before it is begun, however many parts it has', async () => {
    const { bench, s3, used } = await governed(12);
    await s3.client.send(put());
    await s3.client.send(put());
    const uploaded = uploadInParts(s3.client, 20);
    await s3.untilParked(1);
    expect(s3.sent).toHaveLength(2);
    await bench.time.advance(30_000);
    await bench.last.answer({ grant: grant(2, 12) });
    await uploaded;
    expect(s3.sent).toHaveLength(24);
    expect(used()).toBe(11);
  });

  test('retries are free', async () => {
    const { s3, used } = await governed(100);
    s3.answers.push(slowDown, slowDown);
    await s3.client.send(put());
    expect(s3.sent).toHaveLength(3);
    expect(used()).toBe(1);
  });
});

describe('costs per request', () => {
  test('every request that is sent costs 1: parts, reads, and each retry', async () => {
    const { s3, used } = await governed(100, { limiter: perRequest });
    await uploadInParts(s3.client, 20);
    expect(used()).toBe(22);
    await s3.client.send(new GetObjectCommand(at));
    expect(used()).toBe(23);
    s3.answers.push(slowDown, slowDown);
    await s3.client.send(put());
    expect(used()).toBe(26);
    expect(s3.sent).toHaveLength(26);
  });

  test('a retry parks like any other request', async () => {
    const { bench, s3 } = await governed(2, { limiter: perRequest });
    s3.answers.push(slowDown, slowDown);
    const done = s3.client.send(put());
    await s3.untilParked(1);
    expect(s3.sent).toHaveLength(2);
    await bench.time.advance(30_000);
    await bench.last.answer({ grant: grant(2, 2), limiter: perRequest });
    await done;
    expect(s3.sent).toHaveLength(3);
  });
});

describe('parking', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test('what exceeds the window is sent in the next one, oldest first', async () => {
    const { bench, s3 } = await governed(2);
    const done = Promise.all(['a', 'b', 'c', 'd', 'e'].map((key) => s3.client.send(put(key))));
    await s3.untilParked(3);
    expect(s3.sent.map(({ path }) => path)).toEqual(['/b/a', '/b/b']);
    await bench.time.advance(30_000);
    await bench.last.answer({ grant: grant(2, 3) });
    await done;
    expect(s3.sent.map(({ path }) => path)).toEqual(['/b/a', '/b/b', '/b/c', '/b/d', '/b/e']);
  });

  test('a request that parked is signed when it is admitted, with the credentials of that moment', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1, 10) });
    let issued = 0;
    const bench = new Bench();
    await bench.startWith(grant(1, 1));
    const s3 = new ScriptedS3(
      bench.governor,
      {},
      {
        credentials: async () => ({
          accessKeyId: `key-${++issued}`,
          secretAccessKey: 'secret',
          expiration: new Date(Date.now() + 3_600_000),
        }),
      },
    );
    await s3.client.send(put());
    const parked = s3.client.send(put());
    await s3.untilParked(1);
    vi.setSystemTime(Date.UTC(2026, 0, 1, 12));
    await bench.time.advance(30_000);
    await bench.last.answer({ grant: grant(2, 1) });
    await parked;
    expect(s3.sent.map(({ headers }) => headers['x-amz-date'])).toEqual(['20260101T100000Z', '20260101T120000Z']);
    expect(s3.sent[0]?.headers['authorization']).toContain('Credential=key-1/20260101');
    expect(s3.sent[1]?.headers['authorization']).toContain('Credential=key-2/20260101');
  });

  test('aborting a command ends its parking with the reason; nothing is sent, and those behind it go on', async () => {
    const { bench, s3 } = await governed(1);
    await s3.client.send(put('first'));
    const controller = new AbortController();
    const aborted = s3.client.send(put('aborted'), { abortSignal: controller.signal });
    const behind = s3.client.send(put('behind'));
    await s3.untilParked(2);
    controller.abort(new Error('no longer needed'));
    await expect(aborted).rejects.toThrow('no longer needed');
    await bench.time.advance(30_000);
    await bench.last.answer({ grant: grant(2, 1) });
    await behind;
    expect(s3.sent.map(({ path }) => path)).toEqual(['/b/first', '/b/behind']);
  });

  test('a time-out of the command also ends its parking, and is not taken for a transient failure', async () => {
    const { bench, s3 } = await governed(0);
    const controller = new AbortController();
    const command = s3.client.send(put(), { abortSignal: controller.signal });
    await s3.untilParked(1);
    controller.abort(new DOMException('took too long', 'TimeoutError'));
    await expect(command).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(s3.sent).toHaveLength(0);
    expect(bench.governor.status.parkedOps).toBe(0);
  });

  test('when the governor stops, what is parked and what comes later fails at once and is not sent', async () => {
    const { bench, s3 } = await governed(0);
    const parked = s3.client.send(put());
    await s3.untilParked(1);
    const stopped = bench.governor.stop();
    await expect(parked).rejects.toBeInstanceOf(GovernorStoppedError);
    await expect(s3.client.send(put())).rejects.toMatchObject({ name: 'GovernorStoppedError', reason: 'stopped' });
    await bench.last.answer({});
    await stopped;
    expect(s3.sent).toHaveLength(0);
  });
});

describe('SlowDown', () => {
  test('what the retries cure starts no holdoff', async () => {
    const { bench, s3 } = await governed(100);
    s3.answers.push(slowDown, slowDown);
    await s3.client.send(put());
    expect(bench.governor.holdoff).toBeNull();
  });

  test.each([
    ['503 SlowDown', slowDown],
    ['429', { status: 429, body: '<Error><Code>TooManyRequests</Code></Error>' }],
    ['RequestLimitExceeded', { status: 400, body: '<Error><Code>RequestLimitExceeded</Code></Error>' }],
  ])('%s that the retries do not cure starts one, and all commands wait for its end', async (_, answer) => {
    const { bench, s3 } = await governed(100);
    s3.answers.push(answer, answer, answer);
    await expect(s3.client.send(put())).rejects.toMatchObject({ $metadata: { httpStatusCode: answer.status } });
    expect(bench.governor.holdoff).toMatchObject({ remainingMs: 165_000, jobId: null });
    expect(bench.governor.holdoff?.reason).toMatch(/^PutObject \d{3} [A-Za-z]+$/);
    const sentBefore = s3.sent.length;
    const free = s3.client.send(new GetObjectCommand(at));
    await s3.untilParked(1);
    expect(s3.sent).toHaveLength(sentBefore);
    await bench.time.advance(165_000);
    await free;
    expect(s3.sent).toHaveLength(sentBefore + 1);
  });

  test('an upload that is completed with status 200 and SlowDown inside counts as one too', async () => {
    const { bench, s3 } = await governed(100);
    const body = '<Error><Code>SlowDown</Code><Message>later</Message></Error>';
    s3.answers.push(...Array.from({ length: 3 }, () => ({ status: 200, body })));
    const complete = new CompleteMultipartUploadCommand({ ...at, UploadId: 'u', MultipartUpload: { Parts: [] } });
    await expect(s3.client.send(complete)).rejects.toThrow('later');
    expect(bench.governor.holdoff?.reason).toContain('CompleteMultipartUpload');
  });

  test('other failures start none, and neither does anything where the program takes care of it itself', async () => {
    const { bench, s3 } = await governed(100);
    s3.answers.push({ status: 403, body: '<Error><Code>AccessDenied</Code></Error>' });
    await expect(s3.client.send(put())).rejects.toMatchObject({ name: 'AccessDenied' });
    expect(bench.governor.holdoff).toBeNull();

    const own = await governed(100, { holdoff: false });
    own.s3.answers.push(slowDown, slowDown, slowDown);
    await expect(own.s3.client.send(put())).rejects.toMatchObject({ name: 'SlowDown' });
    expect(own.bench.governor.holdoff).toBeNull();
  });
});

describe('the client around it', () => {
  test('using the plugin twice charges once', async () => {
    const { bench, s3, used } = await governed(100);
    s3.client.middlewareStack.use(governS3(bench.governor));
    await s3.client.send(put());
    expect(used()).toBe(1);
  });

  test('a client that keeps its handlers pays for each command', async () => {
    const { bench, used } = await governed(100);
    const s3 = new ScriptedS3(bench.governor, {}, { cacheMiddleware: true });
    for (let n = 0; n < 5; n++) await s3.client.send(put());
    expect(used()).toBe(5);
  });

  test('a command that the program exempts never parks, not even in a holdoff', async () => {
    const { bench, s3 } = await governed(0, { classify: (name) => (name === 'PutObjectCommand' ? 'PutObject' : null) });
    bench.governor.startHoldoff({ reason: 'test', jobId: null });
    await s3.client.send(new ListObjectsV2Command({ Bucket: 'b' }));
    expect(s3.sent).toHaveLength(1);
    s3.answers.push(slowDown, slowDown, slowDown);
    await expect(s3.client.send(new ListObjectsV2Command({ Bucket: 'b' }))).rejects.toMatchObject({ name: 'SlowDown' });
    expect(bench.governor.holdoff?.reason).toBe('test');
  });

  test('object bytes are counted in both directions, as often as they arrived', async () => {
    const transfer = new TransferMeter();
    const { s3 } = await governed(100, { transfer });
    s3.answers.push(slowDown);
    await s3.client.send(new PutObjectCommand({ ...at, Body: 'x'.repeat(1_000) }));
    await s3.client.send(new UploadPartCommand({ ...at, UploadId: 'u', PartNumber: 1, Body: 'x'.repeat(500) }));
    s3.answers.push({ body: 'y'.repeat(70) }, { body: '<ListBucketResult></ListBucketResult>' });
    await s3.client.send(new GetObjectCommand(at));
    await s3.client.send(new ListObjectsV2Command({ Bucket: 'b' }));
    expect(transfer.take()).toEqual({ bytesRead: 70, bytesWritten: 1_500 });
    expect(transfer.take()).toEqual({ bytesRead: 0, bytesWritten: 0 });
  });
});

import {
  CreateMultipartUploadCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  UploadPartCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Bench, enforced, grant } from '../scripted-console.ts';
import { ScriptedS3, slowDown, turnsUntil, type SentRequest } from './scripted-s3.ts';

type Kind = 'put' | 'list' | 'get' | 'create' | 'part';

const at = { Bucket: 'b', Key: 'k' };
const SENDERS: Record<Kind, (client: S3Client, options: { abortSignal: AbortSignal }) => Promise<unknown>> = {
  put: (client, options) => client.send(new PutObjectCommand({ ...at, Body: 'x' }), options),
  list: (client, options) => client.send(new ListObjectsV2Command({ Bucket: 'b' }), options),
  get: (client, options) => client.send(new GetObjectCommand(at), options),
  create: (client, options) => client.send(new CreateMultipartUploadCommand(at), options),
  part: (client, options) =>
    client.send(new UploadPartCommand({ ...at, UploadId: 'u', PartNumber: 1, Body: 'x' }), options),
};

/** What a request that reached the server had to cost, told from the request alone. */
function costAtServer({ method, query, headers }: SentRequest, model: 'per-object' | 'per-request'): number {
  if (model === 'per-request') return 1;
  if (!headers['amz-sdk-request']?.startsWith('attempt=1;')) return 0;
  if (method === 'POST' && 'uploads' in query) return 11;
  return 'list-type' in query || (method === 'PUT' && !('partNumber' in query)) ? 1 : 0;
}

const step = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<Kind>('put', 'list', 'get', 'create', 'part') },
  { weight: 1, arbitrary: fc.constant<'next-window'>('next-window') },
  { weight: 1, arbitrary: fc.constant<'abort-one'>('abort-one') },
  { weight: 1, arbitrary: fc.constant<'server-is-slow'>('server-is-slow') },
);

test('in no window does the server see more than its credits, whatever a program sends, aborts and retries', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('per-object' as const, 'per-request' as const),
      fc.integer({ min: 11, max: 30 }),
      fc.array(step, { maxLength: 60 }),
      async (costModel, credits, steps) => {
        const limiter: typeof enforced = { ...enforced, costModel, chargedTypes: ['LIST', 'GET', 'PUT', 'DELETE'] };
        const bench = new Bench();
        await bench.startWith(grant(1, credits), limiter);
        const s3 = new ScriptedS3(bench.governor, { holdoff: false });
        const underWay: AbortController[] = [];
        let windowNumber = 1;
        let seenBefore = 0;
        let ended = 0;
        // Every command has come to its end or waits for credits.
        const standstill = () => turnsUntil(() => underWay.length - ended === bench.governor.status.parkedOps);
        const seenInWindow = () =>
          s3.sent.slice(seenBefore).reduce((sum, request) => sum + costAtServer(request, costModel), 0);
        const nextWindow = async () => {
          seenBefore = s3.sent.length;
          await bench.time.advance(30_000);
          await bench.last.answer({ grant: grant(++windowNumber, credits), limiter });
          await standstill();
        };
        for (const each of steps) {
          if (each === 'next-window') await nextWindow();
          else if (each === 'abort-one') underWay.at(-1)?.abort();
          else if (each === 'server-is-slow') s3.answers.push(slowDown, slowDown);
          else {
            const abort = new AbortController();
            underWay.push(abort);
            const end = () => {
              ended += 1;
            };
            SENDERS[each](s3.client, { abortSignal: abort.signal }).then(end, end);
          }
          await standstill();
          const seen = seenInWindow();
          expect(seen).toBeLessThanOrEqual(credits);
          expect(seen).toBe(credits - bench.governor.status.remainingCredits);
        }
        // Everything that was not aborted gets its turn.
        while (bench.governor.status.parkedOps > 0) await nextWindow();
      },
    ),
    { numRuns: 40 },
  );
});

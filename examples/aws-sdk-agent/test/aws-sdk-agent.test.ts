import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CreateBucketCommand, GetObjectCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import { startFauxqsProcess } from '@weir/testkit/s3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectObedience, sharedRate } from './obeys.ts';
import { costOf } from './recorder.ts';
import { LIMIT_TPS, Stage } from './stage.ts';

const FOLDER = fileURLToPath(new URL('..', import.meta.url));
const CONCURRENCY = 16;
const SMALL_FILES = 500;
const LARGE_BYTES = 20 * 1_024 * 1_024;

let stage: Stage;
let s3: S3Client;

beforeAll(async () => {
  stage = await Stage.start(await startFauxqsProcess());
  const { url, region, accessKeyId, secretAccessKey } = stage.server;
  s3 = new S3Client({
    region,
    endpoint: url,
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
});
afterAll(async () => {
  s3.destroy();
  await stage.stop();
});

const upload = (name: string, folder: string) =>
  stage.run(FOLDER, { name, args: [folder, name], concurrency: CONCURRENCY });

async function keysIn(bucket: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, { Bucket: bucket })) {
    keys.push(...Contents.map(({ Key = '' }) => Key));
  }
  return keys;
}

test('two programs that know only the SDK and the plugin share the budget, and no window holds more than its credits', async () => {
  const folder = join(stage.place, 'files');
  await mkdir(join(folder, 'small'), { recursive: true });
  for (let n = 0; n < SMALL_FILES; n++) await writeFile(join(folder, 'small', `file ${n}.txt`), `content ${n}`);
  const large = Buffer.alloc(LARGE_BYTES, 'large');
  await writeFile(join(folder, 'large.bin'), large);
  const names = ['first', 'second'];
  for (const name of names) await s3.send(new CreateBucketCommand({ Bucket: name }));

  const programs = await Promise.all(names.map((name) => upload(name, folder)));

  for (const program of programs) {
    expect(program.exitCode).toBe(0);
    // One object in three parts costs 11, though it is 5 requests.
    expect(program.arrivals).toHaveLength(SMALL_FILES + 5);
    expect(program.arrivals.reduce((total, each) => total + costOf(each), 0)).toBe(SMALL_FILES + 11);
    expectObedience(program, program.arrivals, CONCURRENCY);
  }
  expect(sharedRate(programs)).toBeLessThanOrEqual(1.1 * LIMIT_TPS);
  for (const name of names) expect(await keysIn(name)).toHaveLength(SMALL_FILES + 1);
  const stored = await s3.send(new GetObjectCommand({ Bucket: 'second', Key: 'large.bin' }));
  expect(Buffer.from((await stored.Body?.transformToByteArray()) ?? []).equals(large)).toBe(true);

  // The console was told what was charged, and the programs have said goodbye.
  await expect.poll(() => stage.charged(), { timeout: 10_000 }).toBe(2 * (SMALL_FILES + 11));
  const { agents } = await stage.fleet.admin.call('agents');
  expect(agents.map(({ name, runningJobs }) => `${name} ${runningJobs}`).sort()).toEqual(['first 0', 'second 0']);
});

test('the enrolment token is needed once; from then on the program has a credential of its own', async () => {
  const credential = await readFile(stage.credentialFile('first'), 'utf8');
  expect(credential).not.toContain(stage.token);
  expect((await stat(stage.credentialFile('first'))).mode & 0o777).toBe(0o600);
  const folder = join(stage.place, 'one more');
  await mkdir(folder);
  await writeFile(join(folder, 'one more.txt'), 'more');
  stage.token = '';
  expect((await upload('first', folder)).exitCode).toBe(0);
  expect(await keysIn('first')).toContain('one more.txt');
  const { agents } = await stage.fleet.admin.call('agents');
  expect(agents.filter(({ name }) => name === 'first')).toHaveLength(1);
});

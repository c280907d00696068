import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { csvCell } from '../../src/http/failure-downloads.ts';
import { verifyManifest } from '../../src/security/manifest.ts';
import { sqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';
import { copied } from '../support/test-console.ts';
import { HttpConsole } from '../support/running-console.ts';

let console: HttpConsole;
let cookie: string;
let jobId: string;

const KEYS = [
  '=1+1',
  'a "quoted", key',
  'line\nbreak',
  'ünïcode/日本',
  ...Array.from({ length: 1_500 }, (_, n) => `z${n}`),
];

beforeAll(async () => {
  console = await HttpConsole.start();
  cookie = await console.login();
  jobId = await console.job(cookie, 'with failures');
  await console.running.stop();
  const storage = await sqliteStorage(join(console.dir, 'data', 'weir.db'));
  await storage.transaction(async (stores) => {
    const job = await stores.jobs.get(jobId);
    const [shard] = await stores.shards.allOf(jobId);
    if (job === undefined || shard === undefined) throw new Error('the job was not kept');
    const failures = KEYS.map((key) => ({ key, code: 'AccessDenied', message: 'no', requestId: null }));
    await stores.failures.record(jobId, shard.shardId, failures);
    await stores.shards.save({ ...shard, state: 'done', totals: copied(10, KEYS.length) });
    await stores.jobs.save({ ...job, state: 'completed-with-failures', finishedAtMs: Date.now() });
  });
  await storage.close();
  await console.restart();
});
afterAll(() => console.stop());

test('all failed objects come as one JSON file, byte for byte, also beyond a page', async () => {
  const answer = await console.call('GET', `/api/v1/jobs/${jobId}/failures.json`, { cookie });
  expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${jobId}-failures.json"`);
  const keys = JSON.parse(answer.text).map(({ key }: { key: string }) => key);
  expect(new Set(keys)).toEqual(new Set(KEYS));
  expect(keys).toHaveLength(KEYS.length);
});

test('they come as CSV too, in which no spreadsheet finds a formula', async () => {
  const answer = await console.call('GET', `/api/v1/jobs/${jobId}/failures.csv`, { cookie });
  expect(answer.headers.get('content-type')).toMatch(/^text\/csv/);
  expect(answer.text.startsWith('key,code,message,requestId\r\n"\'=1+1","AccessDenied","no",""\r\n')).toBe(true);
  expect(answer.text).toContain('"a ""quoted"", key"');
  expect(['=a', '+a', '-a', '@a', '\ta'].map(csvCell)).toEqual(['"\'=a"', '"\'+a"', '"\'-a"', '"\'@a"', '"\'\ta"']);
});

test('files are for people who are logged in, and of jobs that are there', async () => {
  for (const file of ['failures.csv', 'failures.json', 'manifest']) {
    expect((await console.call('GET', `/api/v1/jobs/${jobId}/${file}`)).status).toBe(401);
    expect((await console.call('GET', `/api/v1/jobs/job_0/${file}`, { cookie })).status).toBe(404);
  }
});

test('the key of manifests is kept beside the other secrets, for its owner only, and stays the same over restarts', async () => {
  const key = async (): Promise<string> =>
    (await console.call('GET', '/api/v1/manifest-key', { cookie })).body.publicKey;
  const before = await key();
  expect((await stat(join(console.dir, 'data', 'manifest-key.pem'))).mode & 0o777).toBe(0o600);
  const signed = await console.call('GET', `/api/v1/jobs/${jobId}/manifest`, { cookie });
  await console.restart();
  expect(await key()).toBe(before);
  expect(verifyManifest(signed.body, before)).toMatchObject({ ok: true, manifest: { failuresListed: KEYS.length } });
  expect(console.answers.join('')).not.toContain('PRIVATE KEY');
});

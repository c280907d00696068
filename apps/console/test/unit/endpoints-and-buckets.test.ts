import { DEFAULT_JOB_OPTIONS } from '@weir/protocol';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { actOnJob } from '../../src/actions/act-on-job.ts';
import { createEndpoint } from '../../src/actions/create-endpoint.ts';
import { createJob } from '../../src/actions/create-job.ts';
import { deleteEndpoint } from '../../src/actions/delete-endpoint.ts';
import { listJobs, readJob } from '../../src/actions/read-job.ts';
import { TestConsole } from '../support/test-console.ts';

let console: TestConsole;
beforeEach(async () => {
  console = await TestConsole.start();
});
afterEach(() => console.stop());

const act = (jobId: string, action: 'cancel' | 'retry') => actOnJob(console.context, jobId, action, 'test');

const input = (source: string, target: string, change: { bucket?: string; targetBucket?: string } = {}) => ({
  name: 'job',
  source: { endpointId: source, bucket: change.bucket ?? 'photos', prefix: '' },
  target: { endpointId: target, bucket: change.targetBucket ?? 'archive', prefix: '' },
  mode: 'copy-all' as const,
  options: DEFAULT_JOB_OPTIONS,
});

async function endpoints(): Promise<[string, string]> {
  const jobId = await console.job('makes the endpoints');
  await act(jobId, 'cancel');
  const [source, target] = await console.storage.endpoints.all();
  return [source!.endpointId, target!.endpointId];
}

test('a job on buckets that do not exist is refused with both fields, and nothing is queued', async () => {
  const [source, target] = await endpoints();
  const wrong = createJob(console.context, input(source, target, { bucket: 'nope', targetBucket: 'neither' }), 'test');
  await expect(wrong).rejects.toMatchObject({
    code: 'bucket-not-found',
    fields: [
      { field: 'source.bucket', value: 'nope' },
      { field: 'target.bucket', value: 'neither' },
    ],
  });
  expect(await listJobs(console.context, 10)).toHaveLength(1);
});

test('a job whose endpoint is unreachable, refuses the credentials or is unknown is refused by name', async () => {
  const [source, target] = await endpoints();
  await expect(createJob(console.context, input('end_0', target), 'test')).rejects.toMatchObject({
    code: 'not-found',
    fields: [{ field: 'source.endpointId' }],
  });
  console.probe.servers.get('http://127.0.0.1:9002')!.secretAccessKey = 'rotated';
  await expect(createJob(console.context, input(source, target), 'test')).rejects.toMatchObject({
    code: 'endpoint-refused-credentials',
    fields: [{ field: 'target.endpointId' }],
  });
  console.probe.servers.delete('http://127.0.0.1:9002');
  await expect(createJob(console.context, input(source, target), 'test')).rejects.toMatchObject({
    code: 'endpoint-unreachable',
    fields: [{ field: 'target.endpointId' }],
  });
});

test('a job that would copy its own copies is refused', async () => {
  const [source] = await endpoints();
  const self = createJob(console.context, input(source, source, { targetBucket: 'photos' }), 'test');
  await expect(self).rejects.toMatchObject({ code: 'validation-failed', fields: [{ field: 'target.prefix' }] });
});

test('an endpoint that never answers is unreachable after ten seconds', async () => {
  const [source, target] = await endpoints();
  console.probe.hangs = true;
  const outcome = createJob(console.context, input(source, target), 'test').catch((error: unknown) => error);
  await console.clock.advance(10_000);
  expect(await outcome).toMatchObject({ code: 'endpoint-unreachable' });
});

test('an endpoint that an unfinished job uses is not removed; a finished job keeps its name', async () => {
  const jobId = await console.job();
  const [source] = await console.storage.endpoints.all();
  await expect(deleteEndpoint(console.context, source!.endpointId, 'test')).rejects.toMatchObject({ code: 'in-use' });
  await act(jobId, 'cancel');
  await deleteEndpoint(console.context, source!.endpointId, 'test');
  expect((await readJob(console.context, jobId)).source.endpointName).toBe('source');
  await expect(act(jobId, 'retry')).rejects.toMatchObject({ code: 'wrong-state' });
  await expect(deleteEndpoint(console.context, source!.endpointId, 'test')).rejects.toMatchObject({
    code: 'not-found',
  });
});

const endpoint = {
  name: 'e',
  url: 'http://127.0.0.1:9001',
  region: 'r',
  pathStyle: true,
  accessKeyId: 'src',
  secretAccessKey: 'src-secret',
};

test('an endpoint is saved only after it answered', async () => {
  const save = (change: Partial<typeof endpoint>) =>
    createEndpoint(console.context, { ...endpoint, ...change }, 'test');
  await expect(save({ url: 'http://127.0.0.1:1' })).rejects.toMatchObject({ code: 'endpoint-unreachable' });
  await expect(save({ secretAccessKey: 'wrong' })).rejects.toMatchObject({ code: 'endpoint-refused-credentials' });
  await expect(save({ url: 'http://user:hunter2@127.0.0.1:9001' })).rejects.toMatchObject({
    code: 'validation-failed',
    fields: [{ field: 'url', problem: 'must not contain a user name, password, query or fragment' }],
  });
  await expect(save({ url: 'http://169.254.169.254/' })).rejects.toMatchObject({ code: 'endpoint-forbidden-address' });
  await expect(save({ url: 'http://[::ffff:169.254.1.1]/' })).rejects.toMatchObject({
    code: 'endpoint-forbidden-address',
  });
  await expect(save({ url: 'http://0xa9fea9fe/' })).rejects.toMatchObject({ code: 'endpoint-forbidden-address' });
  await expect(save({ url: 'http://metadata.internal/' })).rejects.toMatchObject({
    code: 'endpoint-forbidden-address',
  });
  expect(await console.storage.endpoints.all()).toEqual([]);
  expect(console.probe.asked.map(({ url }) => url)).toEqual(['http://127.0.0.1:1', 'http://127.0.0.1:9001']);
  await save({});
  await expect(save({})).rejects.toMatchObject({ code: 'name-taken', fields: [{ field: 'name' }] });
});

test('a job whose endpoint came to point at a metadata address is not handed out but fails', async () => {
  const a = await console.agent('a');
  const bad = await console.job('bad');
  const good = await console.job('good');
  const stored = await console.storage.jobs.get(bad);
  const moved = {
    ...(await console.storage.endpoints.all())[0]!,
    endpointId: 'end_moved',
    name: 'moved',
    url: 'http://metadata.internal',
  };
  await console.storage.endpoints.insert(moved);
  await console.storage.jobs.save({ ...stored!, source: { ...stored!.source, endpointId: 'end_moved' } });
  expect((await a.take()).jobId).toBe(good);
  expect(await readJob(console.context, bad)).toMatchObject({
    state: 'failed',
    error: { code: 'endpoint-forbidden-address' },
  });
});

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCountingProxy, startFauxqsProcess, type CountingProxy, type S3TestServer } from '@weir/testkit/s3';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startWeir, weir, type Ran } from '../support/running.ts';
import { Store } from '../support/stores.ts';

const OBJECTS = 300;
const MIB = 1024 * 1024;

let servers: (S3TestServer & { pid: number })[];
let source: Store;
let target: Store;
let proxies: { source: CountingProxy; target: CountingProxy };
let dir: string;
let buckets = 0;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'weir-copy-'));
  servers = await Promise.all([startFauxqsProcess(), startFauxqsProcess()]);
  const [first, second] = servers;
  if (first === undefined || second === undefined) throw new Error('no servers');
  source = new Store(first);
  target = new Store(second);
  const [before, behind] = await Promise.all([startCountingProxy(first.url), startCountingProxy(second.url)]);
  proxies = { source: before, target: behind };
  await source.fill('src', OBJECTS);
});

afterEach(() => {
  proxies.source.heal();
  proxies.target.heal();
  proxies.source.reset();
  proxies.target.reset();
});

afterAll(async () => {
  await Promise.all([source.close(), target.close(), proxies.source.stop(), proxies.target.stop()]);
  await Promise.all(servers.map((server) => server.stop()));
  rmSync(dir, { recursive: true, force: true });
});

async function newBucket(): Promise<string> {
  const bucket = `dst-${(buckets += 1)}`;
  await target.makeBucket(bucket);
  return bucket;
}

function command(from: string, to: string, ...more: string[]): string[] {
  const places = [`s3://${from}`, `s3://${to}`];
  const flags = [...source.flags('source', proxies.source.url), ...target.flags('target', proxies.target.url)];
  return ['copy', ...places, ...flags, ...more];
}

interface Report {
  state: string;
  counters: Record<string, number>;
  chargedOps: number;
  costs: string;
  holdoffs: number;
  manifest: { digest: string; entries: number };
  failures: { key: string; code: string }[];
  error: { code: string } | null;
}

function reportOf({ out }: Ran): Report {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own output
  return JSON.parse(out) as Report;
}

function inDir(name: string): string {
  return join(dir, name);
}

describe('weir copy', () => {
  it('copies everything and says so, in words and as JSON, with exit code 0', async () => {
    const bucket = await newBucket();
    const ran = await weir(...command('src', bucket, '--json'));
    expect(ran.code).toBe(0);
    const charged = OBJECTS + 1;
    expect(reportOf(ran)).toMatchObject({
      state: 'completed',
      counters: { objectsListed: OBJECTS, objectsCopied: OBJECTS, objectsFailed: 0, bytesCopied: OBJECTS * 20 },
      chargedOps: charged,
      failures: [],
    });
    expect(await target.objects(bucket)).toEqual(await source.objects('src'));
    const again = await weir(...command('src', bucket, '--mode', 'incremental'));
    expect(again).toMatchObject({ code: 0, out: '' });
    expect(again.err).toContain('0 objects (0 B) copied, 300 skipped');
    expect(again.err).toContain('Warning: everybody on this machine can read a secret key');
  });

  it('sends no more charged requests per second than --tps allows', async () => {
    const bucket = await newBucket();
    const startedMs = performance.now();
    const ran = await weir(...command('src', bucket, '--tps', '100', '--json', '--quiet'));
    const seconds = (performance.now() - startedMs) / 1_000;
    expect(ran.code).toBe(0);
    // The first window comes at once, the last one may be spent as soon as it begins.
    expect(seconds).toBeGreaterThan((OBJECTS + 1) / 100 - 0.2);
    expect(reportOf(ran).counters['parkedMs']).toBeGreaterThan(0);
  });

  it('with costs per request counts every request of the copy, and keeps below --tps of them', async () => {
    const bucket = await newBucket();
    const startedMs = performance.now();
    const ran = await weir(...command('src', bucket, '--costs', 'per-request', '--tps', '200', '--json', '--quiet'));
    const seconds = (performance.now() - startedMs) / 1_000;
    expect(ran.code).toBe(0);
    const { chargedOps, costs } = reportOf(ran);
    expect(costs).toBe('per-request');
    // A page, and of each object a GET and a PUT; a retry counts as well.
    expect(chargedOps).toBeGreaterThanOrEqual(2 * OBJECTS + 1);
    expect(seconds).toBeGreaterThan(chargedOps / 200 - 0.2);
  });

  it('copies what filters let pass, and in a dry run only says so', async () => {
    const bucket = await newBucket();
    const filter = ['--include', 'data/000*', '--exclude', '**/*9', '--max-size', '20'];
    const dry = await weir(...command('src', bucket, ...filter, '--dry-run'));
    expect(dry.code).toBe(0);
    expect(dry.out.split('\n').filter((line) => line.startsWith('copy'))).toHaveLength(90);
    expect(dry.err).toContain('90 objects (1.8 KiB) would be copied, 210 left out by filters');
    expect(proxies.target.counts()).toEqual({ HeadBucket: 1 });
    const wet = await weir(...command('src', bucket, ...filter, '--json'));
    expect(reportOf(wet).counters).toMatchObject({ objectsCopied: 90, objectsExcluded: 210 });
    const keys = [...(await target.objects(bucket)).keys()];
    expect(keys).toHaveLength(90);
    expect(keys.every((key) => /^data\/000\d[0-8]$/.test(key))).toBe(true);
  });

  it('writes what failed to a file with exit code 1, and copies exactly that from it', async () => {
    const bucket = await newBucket();
    for (const key of ['00007', '00123']) {
      proxies.target.inject({
        type: 'error',
        status: 400,
        code: 'InvalidRequest',
        operation: 'PutObject',
        targetContains: key,
      });
    }
    const list = inDir('failed.jsonl');
    const ran = await weir(...command('src', bucket, '--failed', list));
    expect(ran.code).toBe(1);
    expect(ran.err).toContain('298 objects');
    expect(ran.err).toContain(`--retry ${list}`);
    const lines = readFileSync(list, 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { key: 'data/00007', code: 'InvalidRequest' },
      { key: 'data/00123', code: 'InvalidRequest' },
    ]);
    proxies.target.reset();
    const retried = await weir(...command('src', bucket, '--retry', list, '--json'));
    expect(retried.code).toBe(0);
    expect(reportOf(retried).counters).toMatchObject({ objectsListed: 2, objectsCopied: 2 });
    expect(proxies.target.counts()['PutObject']).toBe(2);
    expect(await target.objects(bucket)).toEqual(await source.objects('src'));
    const plain = inDir('keys.txt');
    writeFileSync(plain, 'data/00001\ndata/00002\n');
    expect(reportOf(await weir(...command('src', bucket, '--retry', plain, '--json'))).counters).toMatchObject({
      objectsCopied: 2,
    });
  });

  it('gives up beyond --max-failures, with exit code 2', async () => {
    const bucket = await newBucket();
    proxies.target.inject({ type: 'error', status: 400, code: 'InvalidRequest', operation: 'PutObject', times: 1_000 });
    const ran = await weir(...command('src', bucket, '--max-failures', '5', '--concurrency', '4', '--json'));
    expect(ran.code).toBe(2);
    const report = reportOf(ran);
    expect(report.state).toBe('too-many-failures');
    expect(report.failures.length).toBeGreaterThan(5);
    expect(report.counters['objectsFailed']).toBeLessThan(OBJECTS);
  });

  it('pauses after SlowDown that outlasts the retries, goes on, and loses nothing', async () => {
    const bucket = await newBucket();
    const fault = { type: 'error', operation: 'PutObject', targetContains: '00200', times: 6 } as const;
    proxies.target.inject({ ...fault, headers: { 'retry-after': '0' } });
    const ran = await weir(...command('src', bucket, '--holdoff-seconds', '0.2-0.4', '--json'));
    expect(ran.code).toBe(0);
    expect(reportOf(ran)).toMatchObject({ holdoffs: 1, counters: { objectsCopied: OBJECTS, objectsFailed: 0 } });
    expect(await target.objects(bucket)).toEqual(await source.objects('src'));
  });

  it('stops with a named error when nothing that follows could succeed', async () => {
    const bucket = await newBucket();
    const fault = { type: 'error', status: 403, code: 'ExpiredToken', operation: 'PutObject', times: 1_000 } as const;
    proxies.target.inject(fault);
    const ran = await weir(...command('src', bucket, '--json'));
    expect(ran.code).toBe(2);
    expect(reportOf(ran)).toMatchObject({
      state: 'failed',
      error: { code: 'ExpiredToken' },
      counters: { objectsFailed: 0 },
    });
    const words = await weir(...command('src', bucket));
    expect(words.code).toBe(2);
    expect(words.err).toContain('ExpiredToken');
  });

  it('waits for a store that does not answer, and gives up when --patience is over', async () => {
    const bucket = await newBucket();
    proxies.target.inject({
      type: 'error',
      status: 500,
      code: 'InternalError',
      operation: 'PutObject',
      times: 100_000,
    });
    const ran = await weir(...command('src', bucket, '--patience', '0', '--concurrency', '16', '--json'));
    expect(ran.code).toBe(2);
    expect(reportOf(ran)).toMatchObject({ state: 'failed', error: { code: 'InternalError' } });
    expect(await target.openUploads(bucket)).toEqual([]);
  });

  it.each([
    ['s3://src', 's3://absent', 'no-such-bucket', '--create-bucket'],
    ['s3://absent', 's3://src', 'no-such-bucket', 'Check the name'],
    ['src', 's3://src', 'place-invalid', 's3://BUCKET'],
  ])('says what is wrong and what to do: %s to %s', async (from, to, code, remedy) => {
    const flags = [...source.flags('source'), ...target.flags('target')];
    const ran = await weir('copy', from, to, ...flags, '--json');
    expect(ran.code).toBe(2);
    expect(JSON.parse(ran.out)).toMatchObject({ error: { code } });
    expect(ran.out).toContain(remedy);
  });

  it('refuses to copy a place into itself, filters that can match nothing, and files that it would destroy', async () => {
    const within = ['copy', 's3://src', 's3://src/copy/', ...source.flags('source')];
    expect((await weir(...within)).err).toContain('the target lies inside the source');
    const filter = await weir(...command('src', 'dst', '--min-size', '2K', '--max-size', '1K', '--exclude', '[a'));
    expect(filter.code).toBe(2);
    expect(filter.err).toContain('--min-size');
    const same = await weir(...command('src', 'dst', '--retry', 'x', '--failed', 'x'));
    expect(same.err).toContain('--retry and --failed name the same file');
    const absent = await weir(...command('src', await newBucket(), '--resume', inDir('no/such/folder/state')));
    expect(absent).toMatchObject({ code: 2 });
    expect(absent.err).toContain('cannot keep the state');
  });

  it('makes the bucket of the target when it is asked to', async () => {
    const ran = await weir(...command('src', 'made-by-copy', '--create-bucket', '--include', 'data/00000'));
    expect(ran.code).toBe(0);
    expect([...(await target.objects('made-by-copy')).keys()]).toEqual(['data/00000']);
  });
});

describe('a manifest of weir copy', () => {
  it('has every object, is whole when verified, and is not after any change', async () => {
    const bucket = await newBucket();
    const file = inDir('a.manifest');
    const copied = reportOf(await weir(...command('src', bucket, '--manifest', file, '--json')));
    const verified = await weir('manifest', 'verify', file, '--json');
    expect(verified.code).toBe(0);
    expect(JSON.parse(verified.out)).toMatchObject({
      ok: true,
      kind: 'copy',
      entries: OBJECTS,
      digest: copied.manifest.digest,
      actions: { copied: OBJECTS, skipped: 0, failed: 0 },
      bytes: OBJECTS * 20,
    });
    const lines = readFileSync(file, 'utf8').split('\n');
    const changed: [string, (text: string[]) => string[]][] = [
      ['a size', (text) => text.with(5, (text[5] ?? '').replace(',20,', ',21,'))],
      ['a line less', (text) => text.toSpliced(7, 1)],
      ['two lines in turn', (text) => text.with(3, text[4] ?? '').with(4, text[3] ?? '')],
      ['no end', (text) => text.slice(0, 100)],
      ['something behind the end', (text) => [...text.slice(0, -1), text[1] ?? '', '']],
    ];
    for (const [what, change] of changed) {
      writeFileSync(inDir('changed.manifest'), change(lines).join('\n'));
      const refused = await weir('manifest', 'verify', inDir('changed.manifest'));
      expect({ what, code: refused.code }).toEqual({ what, code: 1 });
      expect(refused.out).toContain('is not whole');
    }
    expect((await weir('manifest', 'verify', inDir('absent'))).code).toBe(2);
  });
});

describe('an interrupted copy', () => {
  const LARGE = 24;
  const partSizes = ['--multipart-threshold', '5M', '--part-size', '5M'];

  beforeAll(async () => {
    await source.makeBucket('large');
    for (let index = 0; index < LARGE; index += 1) {
      await source.put('large', `large/${String(index).padStart(3, '0')}`, Buffer.alloc(11 * MIB, `${index} `));
    }
  });

  /** Starts a copy in a process and waits until the target has seen so many of its completed uploads. */
  async function started(bucket: string, completed: number, ...more: string[]): Promise<ReturnType<typeof startWeir>> {
    const running = startWeir(...command('large', bucket, ...partSizes, '--concurrency', '4', '--json', ...more));
    await expect
      .poll(() => proxies.target.counts()['CompleteMultipartUpload'] ?? 0, { timeout: 30_000, interval: 5 })
      .toBeGreaterThanOrEqual(completed);
    return running;
  }

  it('ends by Ctrl-C with exit code 130 and without open uploads, and goes on where it ended', async () => {
    const bucket = await newBucket();
    const files = ['--resume', inDir('c.state'), '--manifest', inDir('c.manifest'), '--failed', inDir('c.failed')];
    const running = await started(bucket, 5, ...files);
    running.signal('SIGINT');
    const ran = await running.done;
    expect(ran.code).toBe(130);
    const { state, counters } = reportOf(ran);
    expect(state).toBe('interrupted');
    expect(counters['objectsCopied']).toBeLessThan(LARGE);
    expect(await target.openUploads(bucket)).toEqual([]);
    expect(existsSync(inDir('c.state'))).toBe(true);
    const again = await weir(...command('large', bucket, ...partSizes, '--json', ...files));
    expect(again.code).toBe(0);
    expect(reportOf(again).counters).toMatchObject({ objectsListed: LARGE, objectsCopied: LARGE });
    // Done by the first and beyond its checkpoint: at most what it had under way at once.
    expect(proxies.target.counts()['CompleteMultipartUpload']).toBeLessThanOrEqual(LARGE + 4);
    expect((await target.objects(bucket)).size).toBe(LARGE);
    expect(existsSync(inDir('c.state'))).toBe(false);
    expect(JSON.parse((await weir('manifest', 'verify', inDir('c.manifest'), '--json')).out)).toMatchObject({
      ok: true,
      entries: LARGE,
    });
  });

  it('killed outright, loses nothing and leaves no upload once it has gone on', async () => {
    const bucket = await newBucket();
    const files = ['--resume', inDir('k.state'), '--manifest', inDir('k.manifest')];
    const running = await started(bucket, 5, ...files);
    running.signal('SIGKILL');
    expect((await running.done).code).toBe(-1);
    const other = await weir(...command('src', bucket, '--resume', inDir('k.state')));
    expect(other).toMatchObject({ code: 2 });
    expect(other.err).toContain('belongs to another copy');
    const again = await weir(...command('large', bucket, ...partSizes, '--json', ...files));
    expect(again.code).toBe(0);
    expect(reportOf(again).counters).toMatchObject({ objectsListed: LARGE, objectsCopied: LARGE });
    expect(await target.openUploads(bucket)).toEqual([]);
    expect((await target.objects(bucket)).size).toBe(LARGE);
    expect(JSON.parse((await weir('manifest', 'verify', inDir('k.manifest'), '--json')).out)).toMatchObject({
      ok: true,
      entries: LARGE,
    });
  });
});

import { describe, expect, test } from 'vitest';
import { governFetch, TransferMeter, type Fetch, type GovernFetchOptions } from '../../../src/fetch/index.ts';
import { GovernorStoppedError } from '../../../src/index.ts';
import { Bench, enforced, grant } from '../scripted-console.ts';

const KEY = 'http://s3.test/b/k';

/** A governed fetch; what it sends is noted and answered here. */
class ScriptedFetch {
  readonly sent: { input: Parameters<Fetch>[0]; init: Parameters<Fetch>[1] }[] = [];
  /** Statuses that come first, in order; afterwards 200. */
  readonly statuses: number[] = [];
  readonly bench = new Bench();
  readonly fetch: Fetch;

  constructor(options: GovernFetchOptions = {}) {
    const inner: Fetch = async (input, init) => {
      this.sent.push({ input, init });
      return new Response('answer', { status: this.statuses.shift() ?? 200, headers: { 'content-length': '6' } });
    };
    this.fetch = governFetch(inner, this.bench.governor, options);
  }

  static async with(credits: number, options: GovernFetchOptions = {}, limiter = enforced): Promise<ScriptedFetch> {
    const scripted = new ScriptedFetch(options);
    await scripted.bench.startWith(grant(1, credits), limiter);
    return scripted;
  }

  get left(): number {
    return this.bench.governor.status.remainingCredits;
  }

  put(more: RequestInit = {}): Promise<Response> {
    return this.fetch(KEY, { method: 'PUT', body: 'x', ...more });
  }

  async nextWindow(credits: number): Promise<void> {
    await this.bench.time.advance(30_000);
    await this.bench.last.answer({ grant: grant(2, credits) });
  }
}

describe('charges', () => {
  test('a request is charged by what S3 would take it for', async () => {
    const s3 = await ScriptedFetch.with(100);
    await s3.put();
    expect(s3.left).toBe(99);
    await s3.fetch('http://s3.test/b?list-type=2');
    expect(s3.left).toBe(98);
    await s3.fetch(`${KEY}?uploads`, { method: 'POST' });
    expect(s3.left).toBe(87);
    await s3.fetch(`${KEY}?partNumber=1&uploadId=u`, { method: 'PUT', body: 'x' });
    await s3.fetch(new Request(KEY));
    await s3.fetch(new URL(KEY), { method: 'DELETE' });
    expect(s3.left).toBe(87);
    expect(s3.sent).toHaveLength(6);
  });

  test('the method and headers of `init` count before those of a Request', async () => {
    const s3 = await ScriptedFetch.with(100);
    await s3.fetch(new Request(KEY, { method: 'PUT', body: 'x' }));
    expect(s3.left).toBe(99);
    await s3.fetch(new Request(KEY, { method: 'PUT', body: 'x' }), { method: 'delete' });
    expect(s3.left).toBe(99);
  });

  test('what is sent is what was given, untouched', async () => {
    const s3 = await ScriptedFetch.with(100);
    const init = { method: 'PUT', body: 'x' };
    const request = new Request(KEY);
    await s3.fetch(KEY, init);
    await s3.fetch(request);
    expect(s3.sent[0]).toEqual({ input: KEY, init });
    expect(s3.sent[0]?.init).toBe(init);
    expect(s3.sent[1]?.input).toBe(request);
  });

  test('a retry is free per object and costs 1 per request, told by its header or by the program', async () => {
    const retry = { headers: { 'amz-sdk-request': 'attempt=2; max=3' } };
    const perObject = await ScriptedFetch.with(100);
    await perObject.put(retry);
    expect(perObject.left).toBe(100);
    const perRequest = await ScriptedFetch.with(100, {}, { ...enforced, costModel: 'per-request' });
    await perRequest.put(retry);
    expect(perRequest.left).toBe(99);
    const told = await ScriptedFetch.with(100, { attempt: ({ headers }) => Number(headers.get('x-try') ?? 0) });
    await told.put({ headers: { 'x-try': '1' } });
    expect(told.left).toBe(100);
    await told.put(retry);
    expect(told.left).toBe(99);
  });

  test('the program may classify otherwise, and exempt requests, which then wait for nothing', async () => {
    const s3 = await ScriptedFetch.with(1, {
      classify: ({ url }) => (url.pathname.startsWith('/health') ? null : 'PutObject'),
    });
    await s3.fetch('http://other.test/anything');
    expect(s3.left).toBe(0);
    s3.bench.governor.startHoldoff({ reason: 'test', jobId: null });
    expect((await s3.fetch('http://other.test/health')).status).toBe(200);
  });

  test('an address that is none is left to fetch to refuse, and a relative one is charged', async () => {
    const s3 = await ScriptedFetch.with(100, { classify: () => 'PutObject' });
    await s3.fetch('http://');
    expect(s3.left).toBe(100);
    await s3.fetch('/b/k');
    expect(s3.left).toBe(99);
  });
});

describe('parking', () => {
  test('what exceeds the window is sent in the next one, oldest first, and is signed only then', async () => {
    const signed: Request[] = [];
    const s3 = await ScriptedFetch.with(1, {
      sign: (input, init) => {
        const request = new Request(input, { ...init, headers: { authorization: `number ${signed.length + 1}` } });
        signed.push(request);
        return request;
      },
    });
    const done = Promise.all(['a', 'b', 'c'].map((key) => s3.fetch(`${KEY}/${key}`, { method: 'PUT', body: key })));
    await s3.bench.time.settle();
    expect(signed).toHaveLength(1);
    await s3.nextWindow(2);
    await done;
    expect(s3.sent.map(({ input }) => input)).toEqual(signed);
    expect(signed.map(({ headers }) => headers.get('authorization'))).toEqual(['number 1', 'number 2', 'number 3']);
    expect(await Promise.all(signed.map((request) => request.text()))).toEqual(['a', 'b', 'c']);
  });

  test.each([
    ['of init', (fetch: Fetch, init: RequestInit) => fetch(KEY, init)],
    ['of a Request', (fetch: Fetch, init: RequestInit) => fetch(new Request(KEY, init))],
  ])('the signal %s ends the parking, and nothing is sent', async (_, send) => {
    const s3 = await ScriptedFetch.with(0);
    const controller = new AbortController();
    const parked = send(s3.fetch, { method: 'PUT', body: 'x', signal: controller.signal });
    await s3.bench.time.settle();
    expect(s3.bench.governor.status.parkedOps).toBe(1);
    controller.abort();
    await expect(parked).rejects.toMatchObject({ name: 'AbortError' });
    expect(s3.sent).toHaveLength(0);
  });

  test('`signal: null` takes the signal of a Request away, as with fetch', async () => {
    const s3 = await ScriptedFetch.with(0);
    const controller = new AbortController();
    const parked = s3.fetch(new Request(KEY, { method: 'PUT', body: 'x', signal: controller.signal }), {
      signal: null,
    });
    await s3.bench.time.settle();
    controller.abort();
    await s3.nextWindow(1);
    expect((await parked).status).toBe(200);
  });

  test('when the governor stops, what is parked and what comes later fails and is not sent', async () => {
    const s3 = await ScriptedFetch.with(0);
    const parked = s3.put();
    const stopped = s3.bench.governor.stop();
    await expect(parked).rejects.toBeInstanceOf(GovernorStoppedError);
    await expect(s3.put()).rejects.toBeInstanceOf(GovernorStoppedError);
    await s3.bench.last.answer({});
    await stopped;
    expect(s3.sent).toHaveLength(0);
  });
});

describe('answers', () => {
  test('three in a row that ask for less start a holdoff, and everything waits for its end', async () => {
    const s3 = await ScriptedFetch.with(100);
    s3.statuses.push(503, 429, 200, 503, 503);
    for (let n = 0; n < 5; n++) await s3.put();
    expect(s3.bench.governor.holdoff).toBeNull();
    s3.statuses.push(503);
    expect((await s3.put()).status).toBe(503);
    expect(s3.bench.governor.holdoff).toMatchObject({ reason: 'PutObject 503', remainingMs: 165_000 });
    const free = s3.fetch(KEY);
    await s3.bench.time.settle();
    expect(s3.sent).toHaveLength(6);
    await s3.bench.time.advance(165_000);
    expect((await free).status).toBe(200);
  });

  test('how many it takes is the program’s to say, or that it never happens', async () => {
    const one = await ScriptedFetch.with(100, { holdoffAfter: 1 });
    one.statuses.push(429);
    await one.put();
    expect(one.bench.governor.holdoff).not.toBeNull();
    const never = await ScriptedFetch.with(100, { holdoffAfter: null });
    never.statuses.push(...Array.from({ length: 20 }, () => 503));
    for (let n = 0; n < 20; n++) await never.put();
    expect(never.bench.governor.holdoff).toBeNull();
    for (const wrong of [0, -1, 1.5, Number.NaN]) {
      expect(() => new ScriptedFetch({ holdoffAfter: wrong })).toThrow(RangeError);
    }
  });

  test('object bytes are counted in both directions, of answers that succeeded', async () => {
    const transfer = new TransferMeter();
    const s3 = await ScriptedFetch.with(100, { transfer });
    s3.statuses.push(500);
    await s3.put({ body: 'x'.repeat(1_000) });
    await s3.put({ body: 'é' });
    await s3.put({ body: new Uint8Array(10) });
    await s3.put({ body: new Blob(['abc']) });
    await s3.put({ body: 'chunked', headers: { 'x-amz-decoded-content-length': '100' } });
    await s3.fetch(KEY);
    await s3.fetch('http://s3.test/b?list-type=2');
    expect(transfer.take()).toEqual({ bytesRead: 6, bytesWritten: 2 + 10 + 3 + 100 });
  });

  test('a failure of fetch comes through as it is', async () => {
    const failure = new TypeError('fetch failed');
    const bench = new Bench();
    await bench.startWith(grant(1, 1));
    const governed = governFetch(() => Promise.reject(failure), bench.governor);
    await expect(governed(KEY)).rejects.toBe(failure);
  });
});

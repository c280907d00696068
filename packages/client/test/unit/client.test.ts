import { routes, type HeartbeatResponse } from '@weir/protocol';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { ApiError, createClient, NetworkError, type Client, type Fetch, type FetchInit } from '../../src/index.ts';

interface Seen {
  url: string;
  init: FetchInit;
}

function answering(status: number, body: string, headers: Record<string, string> = {}): { fetch: Fetch; seen: Seen[] } {
  const seen: Seen[] = [];
  return {
    seen,
    fetch: async (url, init) => {
      seen.push({ url, init });
      return { status, headers: new Headers(headers), text: async () => body };
    },
  };
}

const BASE = 'http://console.test:8080';
const health = JSON.stringify({ status: 'ok', uptimeMs: 5 });
const refusal = (code: string, more: object = {}): string =>
  JSON.stringify({ error: { code, message: 'no, because', ...more } });

async function rejection<E>(promise: Promise<unknown>, kind: new (...args: never[]) => E): Promise<E> {
  const error: unknown = await promise.then(
    () => new Error('the call was expected to fail'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof kind) return error;
  throw error;
}

function refusalBy(fetch: Fetch): Promise<ApiError> {
  return rejection(createClient({ baseUrl: BASE, fetch }).call('health'), ApiError);
}

const abortable: Fetch = (_, init) =>
  new Promise((_resolve, reject) => {
    init.signal.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')));
  });

/** A client of a server that never answers, and timers that fire when told. */
function hanging(): { timers: { run: () => void; delayMs: number; cancelled: boolean }[]; client: Client } {
  const timers: { run: () => void; delayMs: number; cancelled: boolean }[] = [];
  const client = createClient({
    baseUrl: BASE,
    fetch: abortable,
    timeoutMs: 700,
    startTimer: (run, delayMs) => {
      const timer = { run, delayMs, cancelled: false };
      timers.push(timer);
      return () => {
        timer.cancelled = true;
      };
    },
  });
  return { timers, client };
}

describe('requests', () => {
  test('a route is called by name and by declaration with the same request', async () => {
    const { fetch, seen } = answering(200, health);
    const client = createClient({ baseUrl: BASE, fetch });
    await client.call('health');
    await client.call(routes.health);
    expect(seen.map(({ url, init }) => [init.method, url])).toEqual([
      ['GET', `${BASE}/healthz`],
      ['GET', `${BASE}/healthz`],
    ]);
    expect(seen[0]!.init).toMatchObject({ credentials: 'same-origin', redirect: 'manual' });
    expect(seen[0]!.init.headers).toEqual({ accept: 'application/json' });
    expect(seen[0]!.init.body).toBeUndefined();
  });

  test('path parameters are percent-encoded and can never climb out of the route', async () => {
    const { fetch, seen } = answering(404, refusal('not-found'));
    const client = createClient({ baseUrl: BASE, fetch });
    await rejection(client.call('job', { params: { jobId: 'a/../b?c#d%e f' } }), ApiError);
    expect(seen[0]!.url).toBe(`${BASE}/api/v1/jobs/a%2F..%2Fb%3Fc%23d%25e%20f`);
    for (const jobId of ['', '.', '..']) await rejection(client.call('job', { params: { jobId } }), TypeError);
    expect(seen).toHaveLength(1);
  });

  test('the query carries only what was given', async () => {
    const { fetch, seen } = answering(200, JSON.stringify({ jobs: [] }));
    const client = createClient({ baseUrl: BASE, fetch });
    await client.call('jobs', { query: { limit: 7 } });
    await client.call('jobs', { query: {} });
    await client.call('jobs');
    expect(seen.map(({ url }) => url)).toEqual([
      `${BASE}/api/v1/jobs?limit=7`,
      `${BASE}/api/v1/jobs`,
      `${BASE}/api/v1/jobs`,
    ]);
  });

  test('body and token are sent as JSON and bearer', async () => {
    const { fetch, seen } = answering(200, JSON.stringify({ username: 'ada', role: 'admin' }));
    const client = createClient({ baseUrl: BASE, fetch, token: 's3cret' });
    const session = await client.call('login', { body: { username: 'ada', password: 'ü"' } });
    expect(session).toEqual({ username: 'ada', role: 'admin' });
    expect(seen[0]!.init.headers).toEqual({
      accept: 'application/json',
      'content-type': 'application/json',
      authorization: 'Bearer s3cret',
    });
    expect(JSON.parse(seen[0]!.init.body!)).toEqual({ username: 'ada', password: 'ü"' });
  });

  test('a console behind a path prefix keeps it; a page uses its own origin', async () => {
    const { fetch, seen } = answering(200, health);
    await createClient({ baseUrl: `${BASE}/weir/`, fetch }).call('health');
    await createClient({ baseUrl: '', fetch }).call('health');
    expect(seen.map(({ url }) => url)).toEqual([`${BASE}/weir/healthz`, '/healthz']);
  });

  test.each([
    ['console:8080', /starts with http/],
    ['not an address', /not a console address/],
    ['http://user:pw@console', /user name or password/],
    ['http://console/?x=1', /must not contain/],
  ])('the address %s is refused with a reason', (baseUrl, reason) => {
    expect(() => createClient({ baseUrl })).toThrow(reason);
  });

  test('arguments and results are typed by the route', () => {
    const client: Client = createClient({ baseUrl: BASE });
    expectTypeOf<Parameters<typeof client.call<'job'>>>().branded.toEqualTypeOf<
      ['job', { params: { jobId: string }; signal?: AbortSignal; timeoutMs?: number }]
    >();
    expectTypeOf<Awaited<ReturnType<typeof client.call<typeof routes.heartbeat>>>>().toEqualTypeOf<HeartbeatResponse>();
    // @ts-expect-error -- a required body is missing
    const missing = (): unknown => client.call('login');
    // @ts-expect-error -- the route takes no body
    const surplus = (): unknown => client.call('health', { body: {} });
    expect([missing, surplus]).toHaveLength(2);
  });
});

describe('answers', () => {
  test('what the schema does not know is dropped, what it needs is checked', async () => {
    const more = answering(200, JSON.stringify({ status: 'ok', uptimeMs: 1, addedLater: true }));
    expect(await createClient({ baseUrl: BASE, fetch: more.fetch }).call('health')).toEqual({
      status: 'ok',
      uptimeMs: 1,
    });

    const less = answering(200, JSON.stringify({ status: 'ok' }));
    const error = await rejection(createClient({ baseUrl: BASE, fetch: less.fetch }).call('health'), NetworkError);
    expect(error).toMatchObject({ reason: 'bad-answer', status: 200 });
    expect(error.message).toContain('uptimeMs');
  });

  test('an empty answer is an empty object', async () => {
    const { fetch } = answering(204, '');
    expect(await createClient({ baseUrl: BASE, fetch }).call('logout')).toEqual({});
  });

  test('a refusal carries code, status, fields and the time to wait', async () => {
    const fields = [{ field: 'globalLimitTps', value: 'abc', problem: 'must be a number' }];
    const { fetch } = answering(400, refusal('validation-failed', { fields, retryAfterMs: 1_500 }), {
      'retry-after': '9',
    });
    const error = await rejection(createClient({ baseUrl: BASE, fetch }).call('health'), ApiError);
    expect(error).toMatchObject({
      code: 'validation-failed',
      status: 400,
      message: 'no, because',
      fields,
      retryAfterMs: 1_500,
    });
  });

  test('a refusal of a save that came too late says who was first, and when', async () => {
    const changed = { version: 5, changedBy: 'ada', changedAtMs: 1_796_117_400_000 };
    const { fetch } = answering(409, refusal('changed-meanwhile', { changed }));
    expect(await refusalBy(fetch)).toMatchObject({ code: 'changed-meanwhile', status: 409, changed });
    expect((await refusalBy(answering(409, refusal('wrong-state')).fetch)).changed).toBeNull();
  });

  test('Retry-After in seconds is used when the body does not say; a date is not', async () => {
    const seconds = answering(503, refusal('unavailable'), { 'retry-after': '9' });
    const date = answering(503, refusal('unavailable'), { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' });
    expect((await refusalBy(seconds.fetch)).retryAfterMs).toBe(9_000);
    expect((await refusalBy(date.fetch)).retryAfterMs).toBeNull();
  });

  test.each([
    [401, 'unauthenticated'],
    [403, 'forbidden'],
    [404, 'not-found'],
    [409, 'bad-request'],
    [413, 'payload-too-large'],
    [429, 'too-many-requests'],
    [500, 'internal'],
    [503, 'unavailable'],
  ])('a code of a newer console with status %i is understood as %s', async (status, code) => {
    const { fetch } = answering(status, refusal('invented-next-year'));
    const error = await rejection(createClient({ baseUrl: BASE, fetch }).call('health'), ApiError);
    expect(error).toMatchObject({ code, status });
    expect(error.message).toBe('no, because (invented-next-year)');
  });

  test.each([
    ['a proxy that answers for a dead console', 502, '<html>Bad Gateway</html>'],
    ['another program behind the address', 404, '{"detail":"Not Found"}'],
    ['a web server that has a page for everything', 200, '<html>Welcome</html>'],
  ])('%s is no refusal', async (_, status, body) => {
    const { fetch } = answering(status, body);
    const error = await rejection(createClient({ baseUrl: BASE, fetch }).call('health'), NetworkError);
    expect(error).toMatchObject({ reason: 'bad-answer', status });
  });

  test.each([
    [301, { location: 'https://console.test/' }, /redirects to https:\/\/console\.test\//],
    [0, {}, /redirects$/],
  ])('a redirect (status %i) is never followed, the token goes nowhere else', async (status, headers, message) => {
    const { fetch, seen } = answering(status, '', headers);
    const error = await rejection(createClient({ baseUrl: BASE, fetch, token: 't' }).call('health'), NetworkError);
    expect(error.reason).toBe('redirected');
    expect(error.message).toMatch(message);
    expect(seen).toHaveLength(1);
  });
});

describe('time and connection', () => {
  test('a silent console ends as timeout after the time of the client, or of the call', async () => {
    const { client, timers } = hanging();
    const byClient = client.call('health');
    const byCall = client.call('health', { timeoutMs: 40 });
    expect(timers.map(({ delayMs }) => delayMs)).toEqual([700, 40]);
    for (const timer of timers) timer.run();
    expect(await rejection(byClient, NetworkError)).toMatchObject({ reason: 'timeout' });
    expect((await rejection(byCall, NetworkError)).message).toContain('40 ms');
  });

  test('a body that stalls is cut by the same time limit', async () => {
    let expire: (() => void) | undefined;
    const fetch: Fetch = async (_, init) => ({
      status: 200,
      headers: new Headers(),
      text: () =>
        new Promise((_resolve, reject) => {
          init.signal.addEventListener('abort', () => reject(new Error('aborted')));
          expire?.();
        }),
    });
    const client = createClient({
      baseUrl: BASE,
      fetch,
      startTimer: (run) => {
        expire = run;
        return () => undefined;
      },
    });
    expect(await rejection(client.call('health'), NetworkError)).toMatchObject({ reason: 'timeout' });
  });

  test("a caller who gives up gets the signal's own reason, before or during the call", async () => {
    const { client, timers } = hanging();
    const controller = new AbortController();
    const reason = new RangeError('changed my mind');
    const during = client.call('health', { signal: controller.signal });
    controller.abort(reason);
    await expect(during).rejects.toBe(reason);
    await expect(client.call('health', { signal: controller.signal })).rejects.toBe(reason);
    expect(timers.every(({ cancelled }) => cancelled)).toBe(true);
  });

  test('every call cancels its timer and lets go of the signal', async () => {
    const { fetch } = answering(200, health);
    let running = 0;
    const client = createClient({
      baseUrl: BASE,
      fetch,
      startTimer: () => {
        running++;
        return () => running--;
      },
    });
    const listeners = new Set<unknown>();
    const signal = new AbortController().signal;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (type: string, listener: never, options?: never) => {
      listeners.add(listener);
      add(type, listener, options);
    };
    signal.removeEventListener = (type: string, listener: never) => {
      listeners.delete(listener);
      remove(type, listener);
    };
    await client.call('health', { signal });
    expect(listeners.size).toBe(0);
    expect(running).toBe(0);
  });

  test('an unreachable console says why, from the innermost cause', async () => {
    const inner = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });
    const fetch: Fetch = () => Promise.reject(new TypeError('fetch failed', { cause: inner }));
    const error = await rejection(createClient({ baseUrl: BASE, fetch }).call('health'), NetworkError);
    expect(error).toMatchObject({ reason: 'unreachable', status: null });
    expect(error.message).toBe(`the console at ${BASE} cannot be reached: connect ECONNREFUSED 127.0.0.1:1`);
  });
});

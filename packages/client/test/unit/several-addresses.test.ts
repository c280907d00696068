import { expect, test } from 'vitest';
import { ApiError, createClient, NetworkError, type Client, type Fetch } from '../../src/index.ts';

type Behaviour = 'ok' | 'gone' | 'cut' | 'no-leader' | 'refuses' | 'broken';

const ADDRESSES = ['http://a.test', 'http://b.test', 'http://c.test'];

function error(code: string, status: number) {
  return { status, text: JSON.stringify({ error: { code, message: `${code}.` } }) };
}

/** Consoles by the first letter of their names, and what each does at the moment. */
class Group {
  readonly asked: string[] = [];
  readonly addresses: string[] = [];
  readonly client: Client;
  does: Record<string, Behaviour> = {};

  constructor(token?: string) {
    const options = { baseUrl: ADDRESSES, fetch: this.#fetch, onAddress: (url: string) => this.addresses.push(url) };
    this.client = createClient({ ...options, ...(token !== undefined && { token }) });
  }

  readonly #fetch: Fetch = async (url) => {
    const name = new URL(url).host[0] ?? '';
    this.asked.push(name);
    const doing = this.does[name] ?? 'ok';
    if (doing === 'gone') {
      const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
      throw new TypeError('fetch failed', { cause });
    }
    if (doing === 'cut') throw new TypeError('fetch failed', { cause: new Error('other side closed') });
    const answers = {
      ok: { status: 200, text: '{"status":"ok","uptimeMs":1}' },
      'no-leader': error('no-leader', 503),
      refuses: error('wrong-credentials', 401),
      broken: { status: 502, text: '<html>' },
    };
    const { status, text } = answers[doing];
    return { status, headers: { get: () => null }, text: async () => text };
  };

  async ask(does: Record<string, Behaviour>): Promise<string> {
    this.does = does;
    this.asked.length = 0;
    await this.client.call('health');
    return this.asked.join('');
  }
}

test('a call goes to the address that answered last, and at once to the next one when that fails', async () => {
  const group = new Group();
  expect(await group.ask({})).toBe('a');
  expect(await group.ask({ a: 'gone' })).toBe('ab');
  expect(await group.ask({})).toBe('b');
  expect(await group.ask({ b: 'no-leader' })).toBe('bc');
  expect(await group.ask({ c: 'cut', a: 'broken' })).toBe('cab');
  expect(group.addresses).toEqual(['http://a.test', 'http://b.test', 'http://c.test', 'http://b.test']);
});

test('when nobody serves a call, each address is asked once and named', async () => {
  const group = new Group();
  const failure = await group.ask({ a: 'gone', b: 'gone', c: 'cut' }).catch((reason: unknown) => reason);
  expect(failure).toBeInstanceOf(NetworkError);
  expect(String(failure)).toContain('no console serves this: the console at http://a.test cannot be reached');
  expect(String(failure)).toContain('the console at http://c.test cannot be reached: other side closed');
  expect(group.asked.join('')).toBe('abc');
  await expect(group.ask({ a: 'gone', b: 'no-leader', c: 'gone' })).rejects.toMatchObject({ code: 'no-leader' });
});

test('what may have been carried out is sent again only where a repetition does no harm', async () => {
  const group = new Group('token');
  group.does = { a: 'cut' };
  const revoke = () => group.client.call('revokeAgent', { params: { agentId: 'agt_1' } });
  await expect(revoke()).rejects.toMatchObject({ reason: 'unreachable' });
  expect(group.asked.join('')).toBe('a');
  group.does = { a: 'gone', b: 'refuses', c: 'refuses' };
  await expect(revoke()).rejects.toBeInstanceOf(NetworkError);
  expect(group.asked.join('')).toBe('aabc');
  group.does = { a: 'cut', b: 'no-leader', c: 'cut' };
  await expect(group.client.call('claim', { body: { waitSeconds: 1 } })).rejects.toBeInstanceOf(ApiError);
  expect(group.asked.join('')).toBe('aabcabc');
});

test('a console of another group that refuses the token is passed by, and does not speak for those that are away', async () => {
  const group = new Group('token');
  expect(await group.ask({ a: 'refuses' })).toBe('ab');
  expect(await group.ask({})).toBe('b');
  await expect(group.ask({ a: 'refuses', b: 'gone', c: 'gone' })).rejects.toBeInstanceOf(NetworkError);
  await expect(new Group('token').ask({ a: 'refuses', b: 'refuses', c: 'gone' })).rejects.toBeInstanceOf(NetworkError);
  await expect(new Group('token').ask({ a: 'refuses', b: 'refuses', c: 'refuses' })).rejects.toMatchObject({
    code: 'wrong-credentials',
  });
});

test('a console that has accepted the token and now refuses it is believed, unless another one accepts it', async () => {
  const group = new Group('token');
  await group.ask({});
  expect(await group.ask({ a: 'refuses' })).toBe('ab');
  await expect(group.ask({ a: 'refuses', b: 'gone', c: 'gone' })).rejects.toMatchObject({ code: 'wrong-credentials' });
});

test('without a token a refusal is about the login, and other addresses are not asked', async () => {
  const group = new Group();
  await expect(group.ask({ a: 'refuses' })).rejects.toMatchObject({ code: 'wrong-credentials' });
  expect(group.asked.join('')).toBe('a');
});

test('every address that cannot be used is named, and none of the secrets in it', () => {
  const baseUrl = ['http://a.test', 'ftp://b.test', 'http://u:hunter2@c.test', 'http://d.test/?x'];
  const make = () => createClient({ baseUrl });
  expect(make).toThrow(/console address 2: .* not ftp:.*console address 3: .*password.*console address 4: .*\?/);
  expect(make).not.toThrow(/hunter2/);
  expect(() => createClient({ baseUrl: [] })).toThrow('1 to 16 console addresses, not 0');
});

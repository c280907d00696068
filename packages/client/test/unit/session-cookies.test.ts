import { describe, expect, test } from 'vitest';
import { withSessionCookies, type Fetch, type FetchInit } from '../../src/index.ts';

const init: FetchInit = {
  method: 'GET',
  headers: { accept: 'application/json' },
  signal: new AbortController().signal,
  credentials: 'same-origin',
  redirect: 'manual',
};

/** A server whose next answers set the given cookies, and which notes the cookies it got. */
function server(...answers: string[][]): { fetch: Fetch; got: (string | undefined)[] } {
  const got: (string | undefined)[] = [];
  return {
    got,
    fetch: async (_, request) => {
      got.push(request.headers['cookie']);
      const headers = new Headers();
      for (const line of answers.shift() ?? []) headers.append('set-cookie', line);
      return { status: 200, headers, text: async () => '{}' };
    },
  };
}

describe('session cookies', () => {
  test('a cookie goes back to the origin that set it and to no other', async () => {
    const { fetch, got } = server(['weir=abc=d; Path=/; HttpOnly; SameSite=Strict']);
    const session = withSessionCookies(fetch);
    await session('http://127.0.0.1:1/login', init);
    await session('http://127.0.0.1:1/api', init);
    await session('http://127.0.0.1:2/api', init);
    await session('https://127.0.0.1:1/api', init);
    expect(got).toEqual([undefined, 'weir=abc=d', undefined, undefined]);
  });

  test.each(['weir=; Path=/', 'weir=x; Max-Age=0', 'weir=x; expires=Thu, 01 Jan 1970 00:00:00 GMT'])(
    'a logout by "%s" ends it',
    async (line) => {
      const { fetch, got } = server(['weir=abc', 'other=1'], [line]);
      const session = withSessionCookies(fetch);
      for (let call = 0; call < 3; call++) await session('http://console.test/', init);
      expect(got).toEqual([undefined, 'weir=abc; other=1', 'other=1']);
    },
  );

  test('a later value replaces an earlier one, malformed lines are ignored, and the jar stays small', async () => {
    const many = Array.from({ length: 100 }, (_, index) => `c${index}=1`);
    const { fetch, got } = server(['weir=1', 'nonsense', '=x'], ['weir=2; Max-Age=60'], many);
    const session = withSessionCookies(fetch);
    for (let call = 0; call < 4; call++) await session('http://console.test/', init);
    expect(got.slice(0, 3)).toEqual([undefined, 'weir=1', 'weir=2']);
    expect(got[3]!.split('; ')).toHaveLength(16);
  });

  test("the caller's headers are left as they are", async () => {
    const { fetch } = server(['weir=1']);
    const session = withSessionCookies(fetch);
    await session('http://console.test/', init);
    await session('http://console.test/', init);
    expect(init.headers).toEqual({ accept: 'application/json' });
  });
});

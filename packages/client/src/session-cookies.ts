import type { Fetch } from './fetch.ts';

/** Cookies kept per origin; a console sets one. */
const MAX_COOKIES = 16;

/**
 * Wraps `fetch` so that a program outside a browser keeps a login: cookies that an origin sets go back to exactly that
 * origin (scheme, host and port), and nowhere else. `Path` and `Domain` are ignored, so never less strict than a browser
 * for a console that owns its origin. Kept in memory only.
 * @param fetch default: the global `fetch`
 */
export function withSessionCookies(fetch: Fetch = (url, init) => globalThis.fetch(url, init)): Fetch {
  const jars = new Map<string, Map<string, string>>();
  return async (url, init) => {
    const { origin } = new URL(url);
    const jar = jars.get(origin) ?? new Map<string, string>();
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = cookie === '' ? init.headers : { ...init.headers, cookie };
    const answer = await fetch(url, { ...init, headers });
    for (const line of answer.headers.getSetCookie?.() ?? []) store(jar, line);
    jars.set(origin, jar);
    return answer;
  };
}

function store(jar: Map<string, string>, line: string): void {
  const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
  const separator = pair.indexOf('=');
  if (separator < 1) return;
  const name = pair.slice(0, separator);
  const value = pair.slice(separator + 1);
  jar.delete(name);
  if (value !== '' && !attributes.some(ends) && jar.size < MAX_COOKIES) jar.set(name, value);
}

/** Whether an attribute takes the cookie back: how servers log out. */
function ends(attribute: string): boolean {
  const [name = '', value = ''] = attribute.split('=', 2);
  if (/^max-age$/i.test(name)) return Number(value) <= 0;
  // Servers that delete send the start of the epoch; a session's real end is the server's to enforce.
  return /^expires$/i.test(name) && Date.parse(value) <= 0;
}

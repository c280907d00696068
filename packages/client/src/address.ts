/**
 * Checks a console address: absolute http(s), or empty for "where this page came from" (browsers). A path is kept, so
 * that a console behind a reverse proxy at `/weir/` works; query, fragment and credentials are refused.
 * @returns the address without trailing slashes
 * @throws TypeError that says what is wrong with it
 */
export function parseBaseUrl(baseUrl: string): string {
  if (baseUrl === '') return '';
  let url: URL;
  try {
    url = new URL(baseUrl);
  } catch {
    throw new TypeError(`"${baseUrl}" is not a console address; it looks like http://console.example:8080`);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new TypeError(`a console address starts with http:// or https://, not ${url.protocol}//`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new TypeError('a console address must not contain a user name or password');
  }
  if (url.search !== '' || url.hash !== '') throw new TypeError('a console address must not contain ? or #');
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/**
 * Fills the `:name` parts of a route's path and adds the query; every value is percent-encoded.
 * @throws TypeError when a parameter is missing, or is `.` or `..` (URL parsers resolve those, encoded or not)
 */
export function requestPath(
  path: string,
  params: Readonly<Record<string, unknown>>,
  query: Readonly<Record<string, unknown>>,
): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => {
    const value = params[name];
    if (typeof value !== 'string' || value === '' || value === '.' || value === '..') {
      throw new TypeError(`parameter "${name}" of ${path} must be a non-empty string other than . and ..`);
    }
    return encodeURIComponent(value);
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      search.append(name, String(value));
    } else if (value !== undefined) {
      throw new TypeError(`query "${name}" of ${path} must be a string, number or boolean`);
    }
  }
  const text = search.toString();
  return text === '' ? filled : `${filled}?${text}`;
}

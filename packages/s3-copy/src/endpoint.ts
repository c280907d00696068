import { encodeKey, encodeQueryText } from './percent-encoding.ts';

/** An S3 service, taken apart once. */
export interface Endpoint {
  /** As it was given, without a trailing slash; for messages. */
  readonly url: string;
  readonly protocol: 'http:' | 'https:';
  readonly tls: boolean;
  /** `host` or `host:port` where the port is not the default; as it stands in the Host header. */
  readonly host: string;
  /** Path before the bucket; empty or `/…` without a trailing slash. */
  readonly basePath: string;
  readonly region: string;
  readonly pathStyle: boolean;
}

/** @throws TypeError when `url` is no http(s) address. */
export function parseEndpoint(url: string, region: string, pathStyle: boolean): Endpoint {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) {
    throw new TypeError(`not an http:// or https:// address: ${url}`);
  }
  return {
    url: url.replace(/\/+$/, ''),
    protocol: parsed.protocol,
    tls: parsed.protocol === 'https:',
    host: parsed.host,
    basePath: parsed.pathname.replace(/\/+$/, ''),
    region,
    pathStyle,
  };
}

/** Where a request goes: everything encoded, nothing to be encoded or normalised again. */
export interface UrlParts {
  origin: string;
  host: string;
  path: string;
  /** Sorted as SigV4 wants it; empty for none. */
  query: string;
}

/** Builds path and query of a request. */
export function urlParts(
  endpoint: Endpoint,
  request: {
    bucket: string | null;
    key: string | null;
    query?: readonly (readonly [name: string, value: string])[];
  },
): UrlParts {
  const { bucket, key } = request;
  const inHost = bucket !== null && !endpoint.pathStyle;
  const host = inHost ? `${bucket}.${endpoint.host}` : endpoint.host;
  const bucketPath = bucket === null || inHost ? '' : `/${encodeQueryText(bucket)}`;
  const keyPath = key === null ? '' : `/${encodeKey(key)}`;
  return {
    origin: `${endpoint.protocol}//${host}`,
    host,
    path: `${endpoint.basePath}${bucketPath}${keyPath}` || '/',
    query: canonicalQuery(request.query ?? []),
  };
}

function canonicalQuery(query: readonly (readonly [name: string, value: string])[]): string {
  if (query.length === 0) return '';
  const encoded = query.map(([name, value]) => `${encodeQueryText(name)}=${encodeQueryText(value)}`);
  return encoded.length === 1 ? (encoded[0] ?? '') : encoded.sort().join('&');
}

import { QuotaError } from '@weir/quota';

/** Where a memcached listens. */
export interface ServerAddress {
  /** The name under which keys are spread: `host:port`, or the path. Changing it moves keys. */
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** A Unix socket; host and port are unused then. */
  readonly path: string | undefined;
  readonly tls: boolean;
}

const DEFAULT_PORT = 11_211;
const HOST_AND_PORT = /^(?:\[([0-9A-Fa-f:.%]+)\]|([^\s:[\]/@]+))(?::(\d{1,5}))?$/;

/**
 * Reads `host`, `host:port`, `[::1]:port`, `memcached://host:port`, `memcacheds://host:port` (TLS) or `unix:/path`.
 * Default port 11211.
 * @throws {QuotaError} `invalid-argument` for anything else.
 */
export function parseAddress(text: string): ServerAddress {
  if (text.startsWith('unix:/')) {
    const path = text.slice('unix:'.length);
    return { name: path, host: '', port: 0, path, tls: false };
  }
  const scheme = /^memcached(s?):\/\//.exec(text);
  const rest = text.slice(scheme?.[0].length ?? 0).replace(/\/$/, '');
  const found = HOST_AND_PORT.exec(rest);
  const port = Number(found?.[3] ?? DEFAULT_PORT);
  const host = found?.[1] ?? found?.[2];
  if (host === undefined || port < 1 || port > 65_535) {
    throw new QuotaError(
      'invalid-argument',
      `a memcached address is host:port, memcached://host:port, memcacheds://host:port or unix:/path, got ${JSON.stringify(text)}`,
    );
  }
  const name = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  return { name, host, port, path: undefined, tls: scheme?.[1] === 's' };
}

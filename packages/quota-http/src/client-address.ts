import { addressSubject, DEFAULT_IPV6_PREFIX, QuotaError } from '@weir/quota';
import { hopsFromRight } from './forwarded.ts';
import type { ForwardedHeader } from './forwarded.ts';
import { networkTest, parseAddress } from './networks.ts';
import type { Address } from './networks.ts';

/** Headers as Node gives them, or as fetch does. */
export type HeaderSource =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | { get(name: string): string | null };

/** What an address is found from. */
export interface Connection {
  /** Address of the other end of the connection. */
  readonly peer: string | undefined;
  readonly headers: HeaderSource;
}

/** The part of a request of node:http, Express or Fastify that is looked at. */
export interface NodeRequest {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** Whom to believe. */
export interface ClientAddressOptions<C extends readonly unknown[]> {
  /**
   * Your own proxies: addresses and CIDR blocks. Default none: the address is the other end of the connection, and headers are
   * not read.
   */
  readonly trustedProxies?: readonly string[];
  /** The one header that those proxies write, default `x-forwarded-for`. The other one is never read. */
  readonly header?: ForwardedHeader;
  /** Bits of an IPv6 address that are one client, 1 to 128, default 64. */
  readonly ipv6Prefix?: number;
  /** How to look at a request; default: as at one of node:http, Express or Fastify. Hono and fetch need it. */
  readonly connection?: (...call: C) => Connection;
}

/** Most hops that are walked; longer chains of trusted proxies than this are a loop or a forgery. */
const MAX_HOPS = 32;

/**
 * Makes the `subject` function for "one client address": walks the forwarding header from the right, through trusted proxies
 * only, to the first address that is not one of them. Nothing that a client writes can move the answer to another address.
 *
 * An IPv6 address is cut to its prefix (`2001:db8:1:2::`), mapped IPv4 is IPv4; the text suits quotas of both kinds of
 * `subjects`. Where a trusted proxy does not know its client (`unknown`), the proxy is charged.
 * @throws {QuotaError} `invalid-argument` at once for a bad list or prefix; the function throws `invalid-subject` when the
 *   connection has no address (a socket that was closed, a unix socket without `connection`).
 */
export function clientAddress<C extends readonly unknown[] = [request: NodeRequest]>(
  options: ClientAddressOptions<C> = {},
): (...call: C) => string {
  const isTrusted = networkTest(options.trustedProxies ?? []);
  const header = options.header ?? 'x-forwarded-for';
  const prefixBits = options.ipv6Prefix ?? DEFAULT_IPV6_PREFIX;
  addressSubject('::1', prefixBits);
  const { connection = (...call: C) => connectionOf(call[0]) } = options;
  return (...call) => {
    const { peer, headers } = connection(...call);
    const nearest = parseAddress(peer ?? '');
    if (nearest === undefined) {
      throw new QuotaError('invalid-subject', `the connection has no network address: ${JSON.stringify(peer)}`);
    }
    const client = isTrusted(nearest)
      ? walk(nearest, hopsFromRight(header, headerText(headers, header)), isTrusted)
      : nearest;
    return addressSubject(client.text, prefixBits).replace(/\/\d+$/, '');
  };
}

function walk(
  nearest: Address,
  hops: Iterable<Address | undefined>,
  isTrusted: (address: Address) => boolean,
): Address {
  let last = nearest;
  let walked = 0;
  for (const hop of hops) {
    walked += 1;
    if (hop === undefined || walked > MAX_HOPS) return last;
    last = hop;
    if (!isTrusted(hop)) return last;
  }
  return last;
}

function headerText(headers: HeaderSource, name: ForwardedHeader): string {
  const value = isFetchHeaders(headers) ? headers.get(name) : headers[name];
  return typeof value === 'string' ? value : (value ?? []).join(',');
}

function isFetchHeaders(headers: HeaderSource): headers is { get(name: string): string | null } {
  return typeof headers['get'] === 'function';
}

function connectionOf(request: unknown): Connection {
  if (isNodeRequest(request)) return { peer: request.socket.remoteAddress, headers: request.headers };
  throw new QuotaError(
    'invalid-argument',
    'clientAddress needs `connection` for requests that are not those of node:http',
  );
}

function isNodeRequest(request: unknown): request is NodeRequest {
  return (
    typeof request === 'object' &&
    request !== null &&
    'headers' in request &&
    'socket' in request &&
    typeof request.socket === 'object' &&
    request.socket !== null
  );
}

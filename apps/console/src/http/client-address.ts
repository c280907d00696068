import type { IncomingMessage } from 'node:http';
import { clientAddress } from '@weir/quota-http';
import { PROXY_HEADERS } from './peer-header.ts';

type Addressed = Pick<IncomingMessage, 'headers' | 'socket'>;

/**
 * Makes the function that tells which address a request comes from, as proxies of ours say it: `x-forwarded-for` is read from
 * the right, through trusted proxies only. undefined: no proxy is trusted, or the connection has ended; the address is then
 * that of the connection.
 * @param trustedProxies addresses and CIDR blocks
 */
export function clientBehind(trustedProxies: readonly string[]): (request: Addressed) => string | undefined {
  if (trustedProxies.length === 0) return () => undefined;
  // The whole address: quotas cut it to a network by themselves, the audit log wants all of it.
  const addressOf = clientAddress<[Addressed]>({
    trustedProxies,
    ipv6Prefix: 128,
    connection: ({ headers, socket }) => ({ peer: socket.remoteAddress, headers }),
  });
  return (request) => (request.socket.remoteAddress === undefined ? undefined : addressOf(request));
}

/** Leaves of what proxies say in the headers of a request one address, that of its client, if it is known from them. */
export function nameClient(request: Addressed, client: string | undefined): void {
  for (const name of PROXY_HEADERS) delete request.headers[name];
  if (client !== undefined) request.headers['x-forwarded-for'] = client;
}

/** For Fastify, once a request has at most one such address: it is believed, whoever the connection is with. */
export function believesNamed(_address: string, hop: number): boolean {
  return hop === 0;
}

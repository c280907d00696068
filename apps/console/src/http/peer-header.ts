import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Signature of a console that forwards, and the address of the client for which it does. */
const SIGNATURE = 'x-weir-peer';
const CLIENT_ADDRESS = 'x-weir-client-address';
/** What proxies say of clients: believed from nobody but a console of the group. */
export const PROXY_HEADERS = [
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'forwarded',
  'x-real-ip',
] as const;

/** Headers by which a console of the group shows that it forwards a request, and for whom. */
export function peerHeaders(
  key: Buffer,
  request: { method: string; path: string; clientAddress: string },
): Record<string, string> {
  return { [SIGNATURE]: signature(key, request), [CLIENT_ADDRESS]: request.clientAddress };
}

/**
 * The client for whom a console of the group forwards a request; undefined: nobody of the group did. What others claim
 * in these headers, or in those of proxies, is removed. A signature can be repeated by whoever saw it, for the same path and
 * the same client only: it gives no right that the request does not have by itself.
 */
export function takePeerHeaders(
  key: Buffer,
  request: { method: string; path: string; headers: IncomingHttpHeaders },
): string | undefined {
  const { method, path, headers } = request;
  const signed = headers[SIGNATURE];
  const clientAddress = headers[CLIENT_ADDRESS];
  delete headers[SIGNATURE];
  delete headers[CLIENT_ADDRESS];
  for (const name of PROXY_HEADERS) delete headers[name];
  if (typeof signed !== 'string' || typeof clientAddress !== 'string') return undefined;
  const right = signature(key, { method, path, clientAddress });
  const same = signed.length === right.length && timingSafeEqual(Buffer.from(signed, 'latin1'), Buffer.from(right));
  return same ? clientAddress : undefined;
}

function signature(
  key: Buffer,
  { method, path, clientAddress }: Record<'method' | 'path' | 'clientAddress', string>,
): string {
  return createHmac('sha256', key).update(`${method}\n${path}\n${clientAddress}`).digest('base64url');
}

import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';

/** A connection would have gone to an address that is refused. */
export class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError';
  readonly code = 'EFORBIDDENADDRESS';

  constructor() {
    super('its host is an address to which nothing is sent');
  }
}

/** Whether the host of an origin is itself an address that is refused. */
export function isRefusedHost(origin: string, refuses: (address: string) => boolean): boolean {
  // As in `net.connect`, which is given the host without brackets.
  const host = new URL(origin).hostname.replace(/^\[|\]$/g, '');
  return isIP(host) !== 0 && refuses(host);
}

/**
 * Looks a name up for a connection that is being made, and fails when one of its addresses is refused. Between this answer and
 * the connection nobody can change it any more.
 */
export function guardedLookup(
  refuses: (address: string) => boolean,
  lookup: LookupFunction = systemLookup,
): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const found =
        typeof addresses === 'string' ? [{ address: addresses, family: isIP(addresses) }] : (addresses ?? []);
      const [first] = found;
      if (error !== null || first === undefined) callback(error ?? new Error(`${hostname} has no address`), '');
      else if (found.some(({ address }) => refuses(address))) callback(new ForbiddenAddressError(), '');
      else if (options.all === true) callback(null, found);
      else callback(null, first.address, first.family);
    });
  };
}

import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isForbiddenAddress } from '@weir/protocol';

/** What a connection to a forbidden address fails with. */
export const FORBIDDEN_ADDRESS = 'its host is a link-local or metadata address, where nothing is sent';

/**
 * Looks a name up for a connection that is being made, and fails when it has a forbidden address. A name that was checked when it
 * was saved may point elsewhere by now; between this answer and the connection nobody can change it any more.
 */
export const guardedLookup: LookupFunction = (hostname, options, callback) => {
  systemLookup(hostname, { ...options, all: true }, (error, addresses) => {
    const found = addresses ?? [];
    const [first] = found;
    if (error !== null || first === undefined) {
      callback(error ?? new Error(`${hostname} has no address`), '');
    } else if (found.some(({ address }) => isForbiddenAddress(address))) {
      callback(new Error(FORBIDDEN_ADDRESS), '');
    } else if (options.all === true) {
      callback(null, found);
    } else {
      callback(null, first.address, first.family);
    }
  });
};

import { lookup } from 'node:dns/promises';
import type { NameResolver } from '../ports/name-resolver.ts';

/** The resolver of this machine, as agents beside it would use it (hosts file included). */
export const systemResolver: NameResolver = {
  async addressesOf(host) {
    const found = await lookup(host, { all: true }).catch(() => []);
    return found.map(({ address }) => address);
  },
};

import { lookup } from 'node:dns/promises';
import type { Clock } from '../ports/clock.ts';
import type { NameResolver } from '../ports/name-resolver.ts';

/** How long an answer is used again, in ms: work is handed out more often than names change. */
const KEEP_MS = 60_000;
const MAX_NAMES = 1_000;
/** A name server that does not answer must not hold up the queue. */
const TIMEOUT_MS = 3_000;

/** The resolver of this machine, as agents beside it would use it (hosts file included), with a short memory. */
export function systemResolver(clock: Clock, resolve: (host: string) => Promise<string[]> = lookUp): NameResolver {
  const known = new Map<string, { untilMs: number; addresses: string[] }>();
  return {
    async addressesOf(host) {
      const remembered = known.get(host);
      if (remembered !== undefined && remembered.untilMs > clock.steadyMs()) return remembered.addresses;
      const addresses = await within(clock, resolve(host));
      known.delete(host);
      if (addresses.length > 0) known.set(host, { untilMs: clock.steadyMs() + KEEP_MS, addresses });
      const [oldest] = known.keys();
      if (known.size > MAX_NAMES && oldest !== undefined) known.delete(oldest);
      return addresses;
    },
  };
}

async function lookUp(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
}

async function within(clock: Clock, resolving: Promise<string[]>): Promise<string[]> {
  return new Promise((resolve) => {
    const timer = clock.after(TIMEOUT_MS, () => resolve([]));
    resolving.then(resolve, () => resolve([])).finally(() => timer.cancel());
  });
}

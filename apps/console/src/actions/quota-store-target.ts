import type { QuotaStoreInput, QuotaStoreKind } from '@weir/protocol';
import type { StoredQuotaStore } from '../ports/quota-catalog.ts';
import type { QuotaTarget } from '../ports/quota-connector.ts';
import { ConsoleError } from './console-error.ts';
import type { ConsoleContext } from './context.ts';
import { requireAllowedAddress } from './endpoint-addresses.ts';

/** What the password of a store is bound to when it is sealed. */
export function quotaStorePasswordOf(storeId: string): string {
  return `quota-store:${storeId}:password`;
}

/** Kind of the store that an address names. */
export function kindOf(address: string): QuotaStoreKind {
  return address.startsWith('memcached:') ? 'memcached' : 'redis';
}

/** A stored store with its password opened. */
export function targetOf(context: Pick<ConsoleContext, 'secretBox'>, stored: StoredQuotaStore): QuotaTarget {
  const { storeId, kind, address, username, sealedPassword } = stored;
  const password =
    sealedPassword === null ? null : context.secretBox.open(sealedPassword, quotaStorePasswordOf(storeId));
  return { kind, address, username, password };
}

/** A store as it was typed. @throws ConsoleError validation-failed */
export function inputTarget({ address, username, password }: QuotaStoreInput): QuotaTarget {
  const kind = kindOf(address);
  const given = { username: orNull(username), password: orNull(password) };
  if (kind === 'memcached' && (given.username ?? given.password) !== null) {
    throw new ConsoleError('validation-failed', 'memcached is reached without user name and password.', {
      fields: [{ field: given.username === null ? 'password' : 'username', problem: 'must be empty for memcached' }],
    });
  }
  return { kind, address, ...given };
}

function orNull(text: string | undefined): string | null {
  return text === undefined || text === '' ? null : text;
}

/**
 * Refuses a store one of whose hosts is, or resolves to, a link-local or metadata address.
 * @throws ConsoleError endpoint-forbidden-address, validation-failed
 */
export async function requireAllowedStore(context: Pick<ConsoleContext, 'resolver'>, address: string): Promise<void> {
  for (const server of address.replace(/^[a-z]+:\/\//, '').split(',')) {
    const url = `http://${server}`;
    if (!URL.canParse(url)) {
      throw new ConsoleError('validation-failed', `${server} is not the address of a server.`, {
        fields: [
          { field: 'address', value: server.slice(0, 64), problem: 'must name a host, and a port from 1 to 65535' },
        ],
      });
    }
    await requireAllowedAddress(context, url, 'address');
  }
}

/** The refusal for a store that cannot be used. */
export function storeUnreachable(error: unknown): ConsoleError {
  const seen = error instanceof Error ? error.message || error.name : String(error);
  const problem = `cannot be used: ${seen.slice(0, 200)}`;
  const field = /WRONGPASS|NOAUTH|invalid password|AUTH/i.test(seen) ? 'password' : 'address';
  return new ConsoleError('store-unreachable', `The store ${problem}`, { fields: [{ field, problem }], cause: error });
}

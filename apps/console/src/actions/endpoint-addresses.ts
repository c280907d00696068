import { isIP } from 'node:net';
import { isForbiddenAddress } from '@weir/protocol';
import { ConsoleError } from './console-error.ts';
import type { ConsoleContext } from './context.ts';

/**
 * Refuses an address with a user name or password, which would be shown with it, or with a query or fragment.
 * @throws ConsoleError validation-failed
 */
export function requirePlainAddress(url: string): void {
  const { username, password, search, hash } = new URL(url);
  if (username + password + search + hash === '') return;
  throw new ConsoleError('validation-failed', 'The address of an endpoint is only scheme, host, port and path.', {
    fields: [{ field: 'url', problem: 'must not contain a user name, password, query or fragment' }],
  });
}

/**
 * Refuses an endpoint whose host is, or resolves to, a link-local or metadata address. Asked when an endpoint is saved and
 * again whenever work is handed out, because names can be pointed elsewhere later. A name that does not resolve here
 * passes: agents may know other names, and the probe says when it cannot be reached.
 * @throws ConsoleError endpoint-forbidden-address
 */
export async function requireAllowedAddress(
  context: Pick<ConsoleContext, 'resolver'>,
  url: string,
  field: string,
): Promise<void> {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) === 0 ? await context.resolver.addressesOf(host) : [host];
  const address = addresses.find(isForbiddenAddress);
  if (address === undefined) return;
  throw new ConsoleError(
    'endpoint-forbidden-address',
    `The endpoint's host ${host} is the link-local or metadata address ${address}, where agents are never sent.`,
    { fields: [{ field, value: url.slice(0, 64), problem: 'must not be a link-local or cloud metadata address' }] },
  );
}

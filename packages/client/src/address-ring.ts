import type { Route } from '@weir/protocol';
import { parseBaseUrl } from './address.ts';
import { ApiError, NetworkError } from './errors.ts';

/** Most addresses of one client: a group of consoles is small, and each may be waited for. */
const MAX_ADDRESSES = 16;

/** What a connection that was never made fails with: nothing was sent. */
const NOT_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/**
 * The addresses of one group of consoles, as a ring: calls go to the one that answered last, and to the next ones when it
 * does not. Which console answers does not matter to the caller: those that do not lead pass a call on.
 */
export class AddressRing {
  readonly #addresses: readonly string[];
  readonly #onAddress: (address: string) => void;
  /** Addresses that have accepted the bearer token: when these refuse it, it has ended. */
  readonly #accepting = new Set<string>();
  #current: string;
  #told: string | null = null;

  /** @throws TypeError that names every address that cannot be used */
  constructor(addresses: string | readonly string[], onAddress: (address: string) => void = () => undefined) {
    this.#addresses = parseBaseUrls(addresses);
    this.#onAddress = onAddress;
    this.#current = this.#addresses[0] ?? '';
  }

  /** Every address once, the one that answered last first. */
  inOrder(): string[] {
    const at = this.#addresses.indexOf(this.#current);
    return [...this.#addresses.slice(at), ...this.#addresses.slice(0, at)];
  }

  /** A console answered there, and accepted the token if there is one. */
  answered(address: string): void {
    this.#current = address;
    this.#accepting.add(address);
    if (this.#told !== address) this.#onAddress(address);
    this.#told = address;
  }

  /** A call has failed there for good. A "no" is an answer too; only one to the token says nothing of others. */
  failed(address: string, error: unknown): void {
    if (error instanceof ApiError && !isRefusal(error)) this.answered(address);
  }

  /** Whether the same call may be sent to the next address: this one did not serve it, and did nothing that counts twice. */
  goesOn(route: Route, error: unknown, withToken: boolean): boolean {
    if (this.#addresses.length === 1) return false;
    if (error instanceof ApiError) return error.code === 'no-leader' || (withToken && isRefusal(error));
    return error instanceof NetworkError && (isRepeatable(route) || wasNotSent(error));
  }

  /**
   * What a call fails with that no address served. A token that is refused by some may be good for those that did not
   * answer: the caller hears of it only when all refuse it, or one that had accepted it.
   */
  verdict(failures: readonly { address: string; error: Error }[]): Error {
    const errors = failures.map(({ error }) => error);
    const refusals = failures.filter(({ error }) => error instanceof ApiError && isRefusal(error));
    const meant = refusals.find(({ address }) => this.#accepting.has(address));
    if (meant !== undefined) return meant.error;
    if (refusals[0] !== undefined && refusals.length === errors.length) return refusals[0].error;
    const noLeader = errors.find((error) => error instanceof ApiError && error.code === 'no-leader');
    if (noLeader !== undefined) return noLeader;
    const reasons = errors.flatMap((error) => (error instanceof NetworkError ? [error.reason] : []));
    const messages = errors.map((error) => error.message.replace(/\.$/, ''));
    return new NetworkError(reasons.at(-1) ?? 'unreachable', `no console serves this: ${messages.join('; ')}`, {
      cause: new AggregateError(errors),
    });
  }
}

/** Routes of agents are made to be repeated: reports, claims and splits carry numbers or leases that tell. */
function isRepeatable({ method, auth }: Route): boolean {
  return method === 'GET' || auth === 'agent' || auth === 'enrolment';
}

function isRefusal({ status }: ApiError): boolean {
  return status === 401 || status === 403;
}

function wasNotSent(error: NetworkError): boolean {
  let cause: unknown = error.cause;
  for (let depth = 0; depth < 5 && cause instanceof Error; depth += 1) {
    if ('code' in cause && typeof cause.code === 'string' && NOT_CONNECTED.has(cause.code)) return true;
    // Several addresses of one name were tried.
    cause = cause instanceof AggregateError ? cause.errors[0] : cause.cause;
  }
  return false;
}

/**
 * Checks the addresses of a group of consoles; the same one twice counts once.
 * @throws TypeError with everything that is wrong, by the position of the address
 */
export function parseBaseUrls(addresses: string | readonly string[]): string[] {
  if (typeof addresses === 'string') return [parseBaseUrl(addresses)];
  if (addresses.length === 0 || addresses.length > MAX_ADDRESSES) {
    throw new TypeError(`a client takes 1 to ${MAX_ADDRESSES} console addresses, not ${addresses.length}`);
  }
  const parsed = new Set<string>();
  const problems: string[] = [];
  addresses.forEach((address, index) => {
    try {
      if (address === '' && addresses.length > 1) throw new TypeError('it is empty');
      parsed.add(parseBaseUrl(address));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      problems.push(addresses.length === 1 ? why : `console address ${index + 1}: ${why}`);
    }
  });
  if (problems.length > 0) throw new TypeError(problems.join('; '));
  return [...parsed];
}

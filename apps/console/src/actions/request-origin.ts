import { AsyncLocalStorage } from 'node:async_hooks';

const origins = new AsyncLocalStorage<string>();

/**
 * Runs `work` for a request from a network address. Carried beside the calls, not in their arguments: so no action can
 * forget to say in the audit log where it was asked for, and none has to know.
 */
export function onBehalfOf<T>(address: string, work: () => T): T {
  return origins.run(address, work);
}

/** Address of the request that is being answered; null: none is, the console does this by itself. */
export function requestAddress(): string | null {
  return origins.getStore() ?? null;
}

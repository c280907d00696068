import { AsyncLocalStorage } from 'node:async_hooks';

const origins = new AsyncLocalStorage<string>();
let running = 0;

/**
 * Runs `work` for a request from a network address. Carried beside the calls, not in their arguments: so no action can
 * forget to say in the audit log where it was asked for, and none has to know.
 */
export async function onBehalfOf<T>(address: string, work: () => T | Promise<T>): Promise<T> {
  running += 1;
  try {
    return await origins.run(address, work);
  } finally {
    running -= 1;
    // Once used, it looks at every promise of the process, those of thousands of heartbeats too.
    if (running === 0) origins.disable();
  }
}

/** Address of the request that is being answered; null: none is, the console does this by itself. */
export function requestAddress(): string | null {
  return origins.getStore() ?? null;
}

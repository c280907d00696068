import { QuotaError } from '@weir/quota';

/** The server cannot be reached, went away, or refuses (out of memory). */
export function unavailable(server: string, what: string, cause?: unknown): QuotaError {
  return new QuotaError('store-unavailable', `memcached ${server} ${what}`, { cause });
}

/** The server did not answer in time; whether it did what was asked is unknown. */
export function timedOut(server: string, ms: number): QuotaError {
  return new QuotaError('store-timeout', `memcached ${server} did not answer within ${ms} ms`);
}

/** The key holds something that is no counter. */
export function corrupt(key: string, what: string): QuotaError {
  return new QuotaError('store-corrupt', `${JSON.stringify(key)} holds no counter: ${what}`);
}

/** The error that an `ERROR`, `CLIENT_ERROR` or `SERVER_ERROR` line stands for. */
export function refusal(server: string, line: string): QuotaError {
  // A server with as many connections as it takes says so and hangs up.
  if (line.startsWith('SERVER_ERROR') || line.startsWith('ERROR Too many'))
    return unavailable(server, `refused: ${line}`);
  if (line.includes('non-numeric value')) return new QuotaError('store-corrupt', `memcached ${server}: ${line}`);
  return new QuotaError('store-refused', `memcached ${server} does not take this command: ${line}`);
}

/** Whether memcached answered `ERROR` or `CLIENT_ERROR`: it does not know the command, or not in this form. */
export function isUnknownCommand(error: unknown): boolean {
  return error instanceof QuotaError && error.code === 'store-refused';
}

/** What a socket failed with; Node leaves the message empty when several addresses of one name failed. */
export function reasonOf(cause: Error): string {
  return cause.message || ('code' in cause ? String(cause.code) : cause.name);
}

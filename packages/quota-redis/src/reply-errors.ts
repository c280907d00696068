import { QuotaError } from '@weir/quota';

/** The first word of an error reply, `WRONGTYPE`; empty when the error is none of the server's. */
export function replyCode(error: unknown): string {
  if (!(error instanceof Error)) return '';
  // Redis before 7 wraps what a script ran into: "ERR Error running script (…): @user_script:8: -OOM command …".
  const wrapped = /^ERR Error running script .*?-([A-Z]{2,})\b/.exec(error.message);
  return wrapped?.[1] ?? /^([A-Z]{2,})\b/.exec(error.message)?.[1] ?? '';
}

/** What a code means for a quota, in words for the log. All leave the counters as they were. */
const REFUSALS: Readonly<Record<string, string>> = {
  READONLY: 'the server is a read-only replica',
  LOADING: 'the server is loading its data',
  BUSY: 'the server is busy with a script',
  MASTERDOWN: 'the replica has lost its primary',
  NOREPLICAS: 'the server has too few replicas to accept writes',
  MISCONF: 'the server refuses writes because it cannot save its data',
  OOM: 'the server is full and may evict nothing',
  CLUSTERDOWN: 'the cluster does not serve this slot',
  TRYAGAIN: 'the slot is being moved',
  CROSSSLOT: 'the keys of one step live in different slots of the cluster; give them one hash tag',
  NOAUTH: 'the server wants a password',
  WRONGPASS: 'the server refused the password',
  NOPERM: 'the user may not run this command',
};

/** `-ERR` replies that say that the value is no counter. */
const NO_COUNTER = /not an integer|out of range|overflow/;

/**
 * The `QuotaError` for a failed command: `store-corrupt` for a value of the wrong kind, `store-timeout` when a time-out of the
 * client struck, else `store-unavailable`. A `QuotaError` passes unchanged.
 */
export function toQuotaError(error: unknown): QuotaError {
  if (error instanceof QuotaError) return error;
  const text = error instanceof Error ? error.message : String(error);
  const code = replyCode(error);
  if (code === 'WRONGTYPE' || (code === 'ERR' && NO_COUNTER.test(text))) {
    return new QuotaError('store-corrupt', `Redis holds no counter under this key: ${text}`, { cause: error });
  }
  if (error instanceof Error && error.constructor.name === 'AbortError') {
    return new QuotaError('store-unavailable', 'the connection to Redis ended before an answer came', { cause: error });
  }
  if (isTimeout(error, text)) return new QuotaError('store-timeout', `Redis did not answer: ${text}`, { cause: error });
  const reason = REFUSALS[code];
  const message = reason === undefined ? `Redis failed: ${text}` : `Redis failed: ${reason} (${text})`;
  return new QuotaError('store-unavailable', message, { cause: error });
}

function isTimeout(error: unknown, text: string): boolean {
  const name = error instanceof Error ? error.constructor.name : '';
  return name.includes('Timeout') || /timed out|timeout/i.test(text);
}

/** What went wrong with a connection, in a few words; `away`: no other call would do better now. */
export interface ConnectionFailure {
  reason: string;
  away: boolean;
}

/** Classes of SQLSTATE: connection exception, invalid authorization, insufficient resources, intervention, system error. */
const AWAY = /^(08|28|53|57P|58)/;
/** Read-only after a failover, database dropped. */
const AWAY_CODES = new Set(['25006', '3D000']);
/** Statement, lock and idle time-outs: this call took too long, others may not. */
const SLOW_CODES = new Set(['57014', '55P03', '25P02', '25P03']);

/** Messages of pg for connections that ended, which have no code. */
const ENDED = /^(Connection terminated|Client (has encountered|was closed)|Query read timeout|Cannot use a pool)/;
/** All connections of the pool are taken. */
const BUSY = /^timeout exceeded when trying to connect/;

/** Reads what pg threw; undefined: the server answered, and it is the statement that is wrong. */
export function connectionFailure(error: unknown): ConnectionFailure | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (SLOW_CODES.has(code)) return { reason: `${error.message} (${code})`, away: false };
  if (AWAY.test(code) || AWAY_CODES.has(code)) return { reason: `${error.message} (${code})`, away: true };
  // What the system says of a socket: ECONNREFUSED, ETIMEDOUT and the like.
  if ('syscall' in error || /^E[A-Z]{3,}$/.test(code)) return { reason: code || error.message, away: true };
  if (ENDED.test(error.message)) return { reason: error.message, away: true };
  if (BUSY.test(error.message)) return { reason: 'all connections are in use', away: false };
  return undefined;
}

/** Why a server could not be used: each has a remedy of its own. */
export type ConnectionCause =
  | 'refused'
  | 'unknown-host'
  | 'timeout'
  | 'no-route'
  | 'closed'
  | 'tls'
  | 'wrong-password'
  | 'no-password'
  | 'not-allowed'
  | 'unknown-database'
  | 'full'
  | 'not-ready'
  | 'other';

/** What servers say, by SQLSTATE or in the words of Redis; before what the system says of the socket. */
const ANSWERS: readonly (readonly [RegExp, ConnectionCause])[] = [
  [/^(28P01|WRONGPASS|ERR invalid password)/i, 'wrong-password'],
  [/^(NOAUTH|SASL: .*password must be)/i, 'no-password'],
  [/^(28000|42501|NOPERM)/i, 'not-allowed'],
  [/^(3D000|ERR invalid DB|ERR DB index)/i, 'unknown-database'],
  [/^(53300|ERR max number of clients)/i, 'full'],
  [/^(57P0[1-3]|LOADING|MASTERDOWN)/i, 'not-ready'],
];

const SYSTEM: readonly (readonly [RegExp, ConnectionCause])[] = [
  [/^(ECONNREFUSED|ENOENT)$/, 'refused'],
  [/^(ENOTFOUND|EAI_\w+)$/, 'unknown-host'],
  [
    /^(ETIMEDOUT|ESOCKETTIMEDOUT|ERR_SOCKET_CONNECTION_TIMEOUT|UND_ERR_CONNECT_TIMEOUT|store-timeout|timeout)$/,
    'timeout',
  ],
  [/^(EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL)$/, 'no-route'],
  [/^(EACCES|EPERM)$/, 'not-allowed'],
  [/^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|EPROTO|tls-failed)/, 'tls'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'closed'],
];

/** Errors that have no code. */
const WORDS: readonly (readonly [RegExp, ConnectionCause])[] = [
  [/does not support SSL|self.signed certificate|wrong version number/i, 'tls'],
  [/time(d )?-?out|no answer within|did not answer within/i, 'timeout'],
  [/connection (terminated|was closed)|closed the connection|socket (closed|hang up)/i, 'closed'],
];

/** Looks for the cause in an error, what caused it, and what it collects. */
export function causeOf(error: unknown): ConnectionCause {
  const errors = chainOf(error);
  const texts = errors.flatMap(({ message }) => message);
  const codes = errors.flatMap((each) => ('code' in each && typeof each.code === 'string' ? each.code : []));
  return match(ANSWERS, [...codes, ...texts]) ?? match(SYSTEM, codes) ?? match(WORDS, texts) ?? 'other';
}

function match(known: typeof ANSWERS, found: readonly string[]): ConnectionCause | undefined {
  return known.find(([pattern]) => found.some((text) => pattern.test(text)))?.[1];
}

const DEEPEST = 8;

function chainOf(error: unknown, depth = 0): Error[] {
  if (!(error instanceof Error) || depth > DEEPEST) return [];
  const collected: unknown[] = error instanceof AggregateError ? error.errors : [];
  return [error, ...[error.cause, ...collected].flatMap((each) => chainOf(each, depth + 1))];
}

/** What kind of server it is. */
export type ServerKind = 'http' | 'postgres' | 'redis' | 'memcached';

const REMEDIES: Readonly<Record<Exclude<ConnectionCause, 'other'>, string>> = {
  refused: 'Nothing listens there: start the server, or correct host and port.',
  'unknown-host': 'This machine does not know the host: correct its name, or look at the name servers.',
  timeout:
    'Nothing answers: look whether a firewall is between, whether the address is right, and what keeps the server busy.',
  'no-route': 'No way leads there: look at the network and the routes of this machine.',
  closed:
    'The connection was closed: look whether it is a server of this kind, whether it wants TLS, and into its log.',
  tls: 'Name the authority that signed its certificate in NODE_EXTRA_CA_CERTS, or connect without TLS if it speaks none.',
  'wrong-password': 'Correct user and password in the address.',
  'no-password': 'It wants a password: write it into the address, as user:password@host.',
  'not-allowed': 'Allow this user to log in from this machine, and to do this.',
  'unknown-database': 'Make the database, or correct its name in the address.',
  full: 'All its connections are taken: end what holds them, or let it have more.',
  'not-ready': 'It starts or ends just now: wait until it is ready, and look again.',
};

const SPECIAL: Readonly<Record<ServerKind, Partial<typeof REMEDIES>>> = {
  http: {},
  postgres: {
    'not-allowed': 'Make the user (createuser), or allow it to log in from this machine (pg_hba.conf).',
    'unknown-database': 'Make the database (createdb), or correct its name in the address.',
    full: 'All its connections are taken: end what holds them, or raise max_connections.',
    tls: 'Correct sslmode and sslrootcert in the address, or let the server speak TLS.',
  },
  redis: {
    'not-allowed': 'Allow this user the commands (ACL SETUSER).',
    'unknown-database': 'Give a database number that it has: redis.conf says how many (databases, 16 by default).',
    full: 'All its connections are taken: end what holds them, or raise maxclients.',
    tls: 'Name the authority that signed its certificate in NODE_EXTRA_CA_CERTS, or write redis:// if it speaks no TLS.',
  },
  memcached: {},
};

/** What to do about a server that could not be used. @param otherwise said when the cause is not known */
export function remedyFor(error: unknown, kind: ServerKind, otherwise: string): string {
  const cause = causeOf(error);
  return cause === 'other' ? otherwise : (SPECIAL[kind][cause] ?? REMEDIES[cause]);
}

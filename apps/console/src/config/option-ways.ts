import { DEFAULT_WINDOW_SECONDS } from '@weir/protocol/limits';
import { SQLITE_URL } from './storage-url.ts';

/** How an option is given to `weir console`, besides in code. */
export interface OptionWays {
  /** Flag of the command line, with its dashes. */
  readonly flag?: string;
  /** Variable of the environment. */
  readonly variable?: string;
}

/** Every option of a console, and how it is given. Flags, variables and what errors call an option come from here. */
export const OPTION_WAYS = {
  dataDir: { flag: '--data-dir' },
  storageUrl: { flag: '--storage-url', variable: 'WEIR_STORAGE_URL' },
  redisUrl: { flag: '--redis', variable: 'WEIR_REDIS_URL' },
  advertiseUrl: { flag: '--advertise-url', variable: 'WEIR_ADVERTISE_URL' },
  host: { flag: '--host' },
  port: { flag: '--port' },
  webRoot: {},
  publicUrl: { flag: '--public-url' },
  trustedProxies: { flag: '--trusted-proxies', variable: 'WEIR_TRUSTED_PROXIES' },
  maxAgents: { flag: '--max-agents' },
  retentionDays: { flag: '--keep-days' },
  windowSeconds: { flag: '--window-seconds' },
  initialSplit: {},
  adminPassword: { variable: 'WEIR_ADMIN_PASSWORD' },
  accounts: {},
  tlsCertFile: { flag: '--tls-cert' },
  tlsKeyFile: { flag: '--tls-key' },
  logLevel: { flag: '--log-level' },
} as const;

interface ConsoleDefaults {
  readonly storageUrl: string;
  readonly host: string;
  readonly port: number;
  readonly maxAgents: number;
  /** Of each kind. */
  readonly retentionDays: number;
  readonly windowSeconds: number;
  readonly initialSplit: number;
  readonly logLevel: 'info';
}

/** What a console does where an option is not given; told by the help of `weir console`. */
export const CONSOLE_DEFAULTS: ConsoleDefaults = {
  storageUrl: SQLITE_URL,
  host: '127.0.0.1',
  port: 8_180,
  maxAgents: 200_000,
  retentionDays: 400,
  windowSeconds: DEFAULT_WINDOW_SECONDS,
  initialSplit: 24,
  logLevel: 'info',
};

/**
 * An option for people: by its name in code, and every way in which it can be given.
 * @param field name of an option, perhaps with a place in it: `trustedProxies.1`
 */
export function namedOption(field: string): string {
  const [option = ''] = field.split('.');
  const { flag, variable }: OptionWays = isOption(option) ? OPTION_WAYS[option] : {};
  const given = [flag, variable].filter((way) => way !== undefined);
  return given.length === 0 ? field : `${field} (${given.join(', ')})`;
}

function isOption(text: string): text is keyof typeof OPTION_WAYS {
  return Object.hasOwn(OPTION_WAYS, text);
}

import { type FieldProblem, ROLES, type Role } from '@weir/protocol';
import { clientAddress } from '@weir/quota-http';
import { z } from 'zod';
import { CONSOLE_DEFAULTS, namedOption } from './option-ways.ts';
import { isPostgresUrl, isRedisUrl, isStorageUrl } from './storage-url.ts';
import { fieldProblems } from '../validation/field-problems.ts';

/** An account that is made, or brought to this role and password, when the console starts. */
export interface AccountOption {
  username: string;
  role: Role;
  /** 8–256 characters. */
  password: string;
}

/** Days for which each kind is kept after its end. */
export interface RetentionDays {
  /** Ended jobs, with everything of theirs. */
  jobs: number;
  /** Lists of failed objects, and of what a dry run met; the counters stay with the job. */
  failures: number;
  /** Alarms that are over. */
  alarms: number;
  /** Entries of the audit log. */
  audit: number;
}

/** Options of a console. */
export interface ConsoleOptions {
  /** Directory of the database and the secrets; made when it is not there. */
  dataDir: string;
  /**
   * Where everything but the secrets is kept: `sqlite:` (default), a file in the data directory; or
   * `postgres://user:password@host:port/database`, PostgreSQL 13 or later. Holds a password: never repeated or logged.
   */
  storageUrl: string;
  /**
   * `redis://…` or `rediss://…` of Redis or Valkey: several consoles share the database then, and one of them leads. Needs
   * PostgreSQL. Absent: this console is alone. Holds a password: never repeated or logged.
   */
  redisUrl?: string | undefined;
  /**
   * Address at which the other consoles of the group reach this one, without a path. Default: the one that is listened on;
   * needed where that is every address of the machine. Means nothing without `redisUrl`.
   */
  advertiseUrl?: string | undefined;
  /** Address to listen on. Default 127.0.0.1: reachable from this machine only. */
  host: string;
  /** Port to listen on; 0: any free one. Default 8180. */
  port: number;
  /** Directory of the pages (with index.html); absent: no pages. */
  webRoot?: string | undefined;
  /** Address that agents are told to use, such as https://weir.example.org; absent: the one that is listened on. */
  publicUrl?: string | undefined;
  /**
   * Reverse proxies of yours, addresses and CIDR blocks: through them, and only them, the address of a client is read from
   * `X-Forwarded-For`, for the limits on logins and calls and for the audit log. At most 100. Default none.
   */
  trustedProxies: string[];
  /** Agents that may be enrolled at once, revoked ones not counted: 1–1,000,000. Default 200,000. */
  maxAgents: number;
  /** How long what has ended is kept, in days: 1–36,500. Default 400 each. */
  retentionDays: RetentionDays;
  /** Length of a credit window and of the heartbeat cycle, in seconds: 1–300. Default 30. */
  windowSeconds: number;
  /** Parts that the first agent of a new job splits it into: 1–256. Default 24. */
  initialSplit: number;
  /** Password of the account `admin`; absent: one is made at the first start. */
  adminPassword?: string | undefined;
  /** Further accounts. */
  accounts: AccountOption[];
  /** Certificate and key, PEM files; both or neither. */
  tlsCertFile?: string | undefined;
  tlsKeyFile?: string | undefined;
  /** Least important messages that are logged. Default info. */
  logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
}

/** Options as a caller writes them: what has a default may be absent. */
export type ConsoleOptionsInput = Pick<ConsoleOptions, 'dataDir'> &
  Partial<Omit<ConsoleOptions, 'retentionDays'>> & { retentionDays?: Partial<RetentionDays> };

const path = z.string().min(1, 'must not be empty');
const password = z.string().min(8, 'must have at least 8 characters').max(256, 'must have at most 256 characters');
const wholeNumber = (least: number, most: number): z.ZodNumber =>
  z
    .number(`must be a whole number from ${least} to ${most}`)
    .int(`must be a whole number from ${least} to ${most}`)
    .min(least, `must be at least ${least}`)
    .max(most, `must be at most ${most}`);

const days = wholeNumber(1, 36_500).default(CONSOLE_DEFAULTS.retentionDays);
const proxy = z
  .string()
  .refine(isNetwork, 'must be an address or a CIDR block such as 10.0.0.7 or 10.0.0.0/8, and not every address');

/** Addresses that mean every one of the machine: good to listen on, useless to be reached at. */
const EVERY_ADDRESS = new Set(['0.0.0.0', '::']);

const consoleOptions = z
  .strictObject({
    dataDir: path,
    storageUrl: z
      .string()
      .refine(isStorageUrl, 'must be sqlite: or postgres://user:password@host:port/database')
      .default(CONSOLE_DEFAULTS.storageUrl),
    redisUrl: z
      .string()
      .refine(isRedisUrl, 'must be redis://user:password@host:port/number or rediss://…, without further parameters')
      .optional(),
    advertiseUrl: z
      .url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' })
      .refine(isOrigin, 'must be http://host:port or https://host:port, without user, password and path')
      .optional(),
    host: z.string().min(1, 'must not be empty').default(CONSOLE_DEFAULTS.host),
    port: wholeNumber(0, 65_535).default(CONSOLE_DEFAULTS.port),
    webRoot: path.optional(),
    publicUrl: z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' }).optional(),
    trustedProxies: z.array(proxy).max(100, 'must have at most 100 addresses').default([]),
    maxAgents: wholeNumber(1, 1_000_000).default(CONSOLE_DEFAULTS.maxAgents),
    retentionDays: z.strictObject({ jobs: days, failures: days, alarms: days, audit: days }).prefault({}),
    windowSeconds: z
      .number('must be a number of seconds from 1 to 300')
      .min(1, 'must be at least 1 second')
      .max(300, 'must be at most 300 seconds')
      .default(CONSOLE_DEFAULTS.windowSeconds),
    initialSplit: wholeNumber(1, 256).default(CONSOLE_DEFAULTS.initialSplit),
    adminPassword: password.optional(),
    accounts: z
      .array(
        z.strictObject({
          username: z
            .string()
            .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'must be 1–64 characters of a–z, 0–9, ., - and _')
            .refine((name) => name !== 'admin', `is always an admin: use ${namedOption('adminPassword')}`),
          role: z.enum(ROLES, `must be one of ${ROLES.join(', ')}`),
          password,
        }),
      )
      .max(1_000, 'must have at most 1000 accounts')
      .default([]),
    tlsCertFile: path.optional(),
    tlsKeyFile: path.optional(),
    logLevel: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default(CONSOLE_DEFAULTS.logLevel),
  })
  .refine(({ tlsCertFile, tlsKeyFile }) => (tlsCertFile === undefined) === (tlsKeyFile === undefined), {
    path: ['tlsKeyFile'],
    error: `must be given together with ${namedOption('tlsCertFile')}`,
    // Otherwise this would be said only once everything else is right.
    when: () => true,
  })
  .refine(
    ({ redisUrl, storageUrl }) => redisUrl === undefined || isPostgresUrl(storageUrl ?? CONSOLE_DEFAULTS.storageUrl),
    {
      path: ['redisUrl'],
      error: `needs ${namedOption('storageUrl')} postgres://…: the consoles of a group share one database`,
      when: () => true,
    },
  )
  .refine(
    ({ redisUrl, advertiseUrl, host }) =>
      redisUrl === undefined || advertiseUrl !== undefined || !EVERY_ADDRESS.has(host ?? ''),
    {
      path: ['advertiseUrl'],
      error: 'must name the address at which the others reach this console: they cannot connect to 0.0.0.0 or ::',
      when: () => true,
    },
  );

function isNetwork(text: string): boolean {
  try {
    clientAddress({ trustedProxies: [text] });
    return true;
  } catch {
    return false;
  }
}

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password, pathname, search, hash } = new URL(text);
  return username === '' && password === '' && pathname === '/' && search === '' && hash === '';
}

/** Reads options; every problem is listed at once, nothing is guessed. */
export function parseConsoleOptions(
  input: unknown,
): { ok: true; options: ConsoleOptions } | { ok: false; problems: FieldProblem[] } {
  const result = consoleOptions.safeParse(input);
  if (result.success) return { ok: true, options: result.data };
  return { ok: false, problems: fieldProblems(result.error, input) };
}

/** Options that cannot be used; the message lists every problem on a line of its own. */
export class InvalidConsoleOptions extends Error {
  override readonly name = 'InvalidConsoleOptions';
  readonly problems: readonly FieldProblem[];

  constructor(problems: readonly FieldProblem[]) {
    const lines = problems.map(({ field, value, problem }) => {
      const sent = value === undefined ? '' : ` (it is ${JSON.stringify(value)})`;
      return `  ${field === '' ? 'options' : namedOption(field)} ${problem}${sent}`;
    });
    super(`The console cannot start with these options:\n${lines.join('\n')}`);
    this.problems = problems;
  }
}

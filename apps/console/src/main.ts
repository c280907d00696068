import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { GroupSeat } from '@weir/protocol';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { ensureAccounts } from './actions/ensure-accounts.ts';
import { requireOwnSecrets } from './actions/require-own-secrets.ts';
import { assemble, type ConsoleDependencies } from './assembly.ts';
import type { ConsoleOptions, ConsoleOptionsInput } from './config/console-options.ts';
import { databasePlace } from './config/places.ts';
import { readOptions } from './config/read-options.ts';
import { isPostgresUrl } from './config/storage-url.ts';
import { enterGroup } from './group-entry.ts';
import { GroupConsole } from './group-console.ts';
import { consoleLogger } from './host/console-logger.ts';
import { requireFreePort } from './host/requested-port.ts';
import { sharedLedger } from './host/shared-ledger.ts';
import { systemClock } from './host/system-clock.ts';
import { readTlsFiles } from './host/tls-files.ts';
import { ConsoleMetrics } from './http/metrics.ts';
import { buildServer, type ServerOptions } from './http/server.ts';
import { Ticker } from './jobs/ticker.ts';
import { startTicks } from './jobs/ticks.ts';
import { LeadershipLost } from './ports/leadership-lost.ts';
import type { Clock } from './ports/clock.ts';
import { UnusableDatabase } from './ports/unusable-database.ts';
import { aesSecretBox } from './security/aes-secret-box.ts';
import { ConsoleKeys } from './storage/files/console-keys.ts';
import type { ConsoleSecrets } from './storage/files/secrets-file.ts';
import { DATABASE_FILE, openStorage } from './storage/open-storage.ts';
import { shutDown } from './shut-down.ts';
import { stopInTime } from './stopping.ts';

const VERSION = '0.1.0';
/** How long requests that are being answered may take when the console stops, in ms. */
const DRAIN_MS = 5_000;

/** How often a start begins anew because its keys changed: consoles that are first started together share a data directory. */
const KEYS_CHANGE_AT_MOST = 2;

/** A console that answers. */
export interface RunningConsole {
  /** Address of the pages and the API, without a trailing slash. */
  url: string;
  /** What agents enrol with. */
  enrolmentToken: string;
  /** Bearer token for /metrics. */
  metricsToken: string;
  /** Password of the account `admin` when it was made at this start; null otherwise. It is not stored and not logged. */
  initialAdminPassword: string | null;
  /** What a console of a group is just now; null for one that is alone. */
  seat(): GroupSeat | null;
  /**
   * Ends long polls, timers, connections and the database, in that order. Again: the same end.
   * @throws StopUnfinished after 20 s with what does not end; only the end of the process, by SIGKILL, is sure then
   */
  stop(): Promise<void>;
}

/**
 * Starts a console: opens (or makes) its data directory, brings back what outlives a restart, and listens.
 * @throws InvalidConsoleOptions with every problem; UnusableDatabase for a data directory that cannot be used; Error with
 * `code` EADDRINUSE and the like for an address
 */
export async function startConsole(
  input: ConsoleOptionsInput,
  dependencies: ConsoleDependencies,
): Promise<RunningConsole> {
  const options = await readOptions(input);
  const logger = dependencies.logger ?? consoleLogger(options.logLevel);
  const clock = dependencies.clock ?? systemClock();
  const tls = await readTlsFiles(options);
  await requireFreePort(options.host, options.port);
  for (let again = KEYS_CHANGE_AT_MOST; ; again -= 1) {
    const keys = await ConsoleKeys.open(options.dataDir, DATABASE_FILE);
    if (keys.narrowed) logger.warn('others could read the secrets file; its mode is now 0600');
    const given = { options, keys, secrets: keys.secrets, dependencies: { ...dependencies, logger, clock }, tls };
    try {
      return await (options.redisUrl === undefined ? startAlone(given) : startInGroup(given, options.redisUrl));
    } catch (error) {
      await keys.giveUp(isPostgresUrl(options.storageUrl) || existsSync(join(options.dataDir, DATABASE_FILE)));
      if (again === 0 || !(error instanceof UnusableDatabase) || !(await keys.changed())) throw error;
      logger.info('somebody else changed the keys while this console started: it starts again with those');
    }
  }
}

/** What a start works with, in a group or alone. */
interface Given {
  readonly options: ConsoleOptions;
  readonly keys: ConsoleKeys;
  readonly secrets: ConsoleKeys['secrets'];
  readonly dependencies: ConsoleDependencies & { logger: FastifyBaseLogger; clock: Clock };
  readonly tls: ServerOptions['tls'];
}

async function startAlone(given: Given): Promise<RunningConsole> {
  const { options, keys, secrets, dependencies } = given;
  const { logger, clock } = dependencies;
  // A file that is a database already belongs to the keys beside it; any other database has to be looked into first.
  if (!isPostgresUrl(options.storageUrl)) await keys.save();
  const storage = await openStorage(options, { clock, log: logger, admit: () => keys.requireUnchanged() });
  const ticker = new Ticker(clock, logger);
  let app: FastifyInstance | undefined;
  try {
    await requireOwnSecrets(storage, aesSecretBox(secrets.encryptionKey), () => keys.save());
    const metrics = new ConsoleMetrics();
    metrics.observeSeat(() => true);
    const context = await assemble(options, secrets, storage, dependencies, metrics);
    let url = '';
    let closing = false;
    const server = await buildServer(context, metrics, { ...serverOptions(given, () => url), closing: () => closing });
    app = server;
    url = await listen(app, options);
    // Not before it listens: the password of a new account is told once, and only by a start that succeeds.
    const initialAdminPassword = await ensureAccounts(context, options.adminPassword, options.accounts);
    startTicks(context, ticker);
    logger.info({ url, dataDir: options.dataDir }, 'the console is listening');
    const stop = once(async () => {
      closing = true;
      await stopInTime({ clock, log: logger }, (part) =>
        shutDown({ context, ticker, app: server, drainMs: DRAIN_MS }, part),
      );
    });
    return { url, ...tokensOf(secrets), initialAdminPassword, seat: () => null, stop };
  } catch (error) {
    await ticker.stop();
    await app?.close();
    await storage.close();
    throw error;
  }
}

async function startInGroup(given: Given, redisUrl: string): Promise<RunningConsole> {
  const { options, keys, secrets, dependencies, tls } = given;
  const { logger, clock } = dependencies;
  let initialAdminPassword: string | null = null;
  let started: GroupConsole | undefined;
  const entered = await enterGroup({
    storageUrl: options.storageUrl,
    redisUrl,
    secrets,
    clock,
    logger,
    migrations: dependencies.migrations,
    admit: () => keys.requireUnchanged(),
  });
  const group = await GroupConsole.start({
    options: { ...options, redisUrl },
    secrets,
    keepSecrets: () => keys.save(),
    ...entered,
    clock,
    logger,
    version: VERSION,
    tls,
    drainMs: DRAIN_MS,
    openContext: (storage, redis, metrics) => {
      return assemble(options, secrets, storage, { ...dependencies, ledger: sharedLedger(redis) }, metrics);
    },
    buildApp: (context, metrics, { url, ...rest }) =>
      buildServer(context, metrics, { ...serverOptions(given, () => url), ...rest }),
    begin: async (context, ticker) => {
      const ensured = ensureAccounts(context, options.adminPassword, options.accounts);
      if (started === undefined) initialAdminPassword = await ensured;
      else tellPassword(ensured, given);
      startTicks(context, ticker);
    },
    urlOf: (port) => urlOf(options, port),
  });
  started = group;
  const stop = once(() => stopInTime({ clock, log: logger }, (part) => group.stop(part)));
  return { url: group.url, ...tokensOf(secrets), initialAdminPassword, seat: () => group.seat(), stop };
}

/** For a console that takes over: passwords are slow to check, and the fleet does not wait for it. */
function tellPassword(ensured: Promise<string | null>, { dependencies: { passwordMade, logger } }: Given): void {
  ensured.then(
    (password) => (password === null ? undefined : passwordMade?.(password)),
    (error: unknown) => {
      // Whoever leads now makes them.
      if (error instanceof LeadershipLost) return;
      logger.error({ err: error }, 'the accounts of the options could not be made');
    },
  );
}

function serverOptions(
  { options, secrets, dependencies, tls }: Given,
  url: () => string,
): Omit<ServerOptions, 'closing'> {
  return {
    version: VERSION,
    database: databasePlace(options, DATABASE_FILE),
    metricsToken: secrets.metricsToken,
    publicUrl: () => options.publicUrl ?? url(),
    webRoot: options.webRoot,
    secureCookies: options.tlsCertFile !== undefined || options.publicUrl?.startsWith('https:') === true,
    tls,
    trustedProxies: options.trustedProxies,
    logger: dependencies.logger,
  };
}

function tokensOf({
  enrolmentToken,
  metricsToken,
}: ConsoleSecrets): Pick<RunningConsole, 'enrolmentToken' | 'metricsToken'> {
  return { enrolmentToken, metricsToken };
}

async function listen(app: FastifyInstance, options: ConsoleOptions): Promise<string> {
  await app.listen({ host: options.host, port: options.port });
  const bound = app.server.address();
  return urlOf(options, typeof bound === 'object' && bound !== null ? bound.port : options.port);
}

function urlOf({ host, tlsCertFile }: ConsoleOptions, port: number): string {
  const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `${tlsCertFile === undefined ? 'http' : 'https'}://${shown}:${port}`;
}

function once(run: () => Promise<void>): () => Promise<void> {
  let ran: Promise<void> | undefined;
  return async () => {
    ran ??= run();
    return ran;
  };
}

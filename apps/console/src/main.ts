import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  DEFAULT_GOVERNOR_SETTINGS,
  OLDEST_PROTOCOL_VERSION,
  ONLINE_WINDOWS,
  type Assignment,
} from '@weir/protocol';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { giveBack } from './actions/claim-work.ts';
import type { ConsoleContext, ConsoleLimits } from './actions/context.ts';
import { ensureAccounts } from './actions/ensure-accounts.ts';
import { openGoverning } from './actions/open-governing.ts';
import { openHistory } from './actions/open-history.ts';
import { openQuotas } from './actions/open-quotas.ts';
import { rememberedRules } from './actions/remembered-alarms.ts';
import { requireOwnSecrets } from './actions/require-own-secrets.ts';
import { takeShard } from './actions/take-shard.ts';
import { writeBehind } from './actions/write-behind.ts';
import {
  InvalidConsoleOptions,
  parseConsoleOptions,
  type ConsoleOptions,
  type ConsoleOptionsInput,
} from './config/console-options.ts';
import { AlarmBoard } from './fleet/alarm-board.ts';
import { ClaimDesk } from './fleet/claim-desk.ts';
import { Fleet } from './fleet/fleet.ts';
import { JobGauges } from './fleet/job-gauges.ts';
import { JobRates } from './fleet/job-rates.ts';
import { LeaseWatch } from './fleet/lease-watch.ts';
import { consoleLogger } from './host/console-logger.ts';
import { httpWebhookSender } from './host/http-webhook-sender.ts';
import { systemClock } from './host/system-clock.ts';
import { systemResolver } from './host/system-resolver.ts';
import { readTlsFiles } from './host/tls-files.ts';
import { ConsoleMetrics } from './http/metrics.ts';
import { buildServer } from './http/server.ts';
import { Ticker } from './jobs/ticker.ts';
import { startTicks } from './jobs/ticks.ts';
import type { Clock } from './ports/clock.ts';
import type { LedgerTier } from './ports/credit-ledger.ts';
import type { EndpointProbe } from './ports/endpoint-probe.ts';
import type { NameResolver } from './ports/name-resolver.ts';
import type { QuotaConnector } from './ports/quota-connector.ts';
import type { SecretBox } from './ports/secret-box.ts';
import type { Storage } from './ports/storage.ts';
import type { WebhookSender } from './ports/webhook-sender.ts';
import { quotaConnector } from './quotas/connector.ts';
import { aesSecretBox } from './security/aes-secret-box.ts';
import { manifestSigner } from './security/manifest.ts';
import { systemRandom } from './security/random-source.ts';
import { scryptHasher } from './security/scrypt-hasher.ts';
import { ownLimiters } from './security/own-limiters.ts';
import { loadManifestKey } from './storage/files/manifest-key-file.ts';
import { loadSecrets, type ConsoleSecrets } from './storage/files/secrets-file.ts';
import { DATABASE_FILE, openStorage } from './storage/open-storage.ts';

const VERSION = '0.1.0';
/** How long requests that are being answered may take when the console stops, in ms. */
const DRAIN_MS = 5_000;

/** What the console does not do itself. */
export interface ConsoleDependencies {
  /** Asks S3 servers. */
  endpointProbe: EndpointProbe;
  /** Default: JSON lines on the standard error output at `options.logLevel`. */
  logger?: FastifyBaseLogger;
  /** Default: the clocks of this machine. */
  clock?: Clock;
  /** Default: the resolver of this machine. */
  resolver?: NameResolver;
  /** Default: over HTTP and HTTPS. */
  webhookSender?: WebhookSender;
  /** Default: this process, Redis and Valkey, memcached. */
  quotaConnector?: QuotaConnector;
  /** Where the overshoot guard counts what is granted. Default: in this process, which forgets it when it ends. */
  ledger?: LedgerTier | null;
}

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
  /** Ends long polls, timers, connections and the database, in that order. Again: the same end. */
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
  const { secrets, narrowed } = await loadSecrets(options.dataDir, DATABASE_FILE);
  if (narrowed) logger.warn('others could read the secrets file; its mode is now 0600');
  const manifestKey = await loadManifestKey(options.dataDir);
  const storage = await openStorage(options, { clock, log: logger });
  const ticker = new Ticker(clock, logger);
  let app: FastifyInstance | undefined;
  try {
    const metrics = new ConsoleMetrics();
    const context = await assemble(
      options,
      { ...secrets, manifestKey },
      storage,
      { ...dependencies, logger, clock },
      metrics,
    );
    let url = '';
    let closing = false;
    app = await buildServer(context, metrics, {
      version: VERSION,
      metricsToken: secrets.metricsToken,
      publicUrl: () => options.publicUrl ?? url,
      webRoot: options.webRoot,
      secureCookies: options.tlsCertFile !== undefined || options.publicUrl?.startsWith('https:') === true,
      closing: () => closing,
      tls: await readTlsFiles(options),
      logger,
    });
    url = await listen(app, options);
    // Not before it listens: the password of a new account is told once, and only by a start that succeeds.
    const initialAdminPassword = await ensureAccounts(context, options.adminPassword, options.accounts);
    startTicks(context, ticker);
    logger.info({ url, dataDir: options.dataDir }, 'the console is listening');
    const stop = once(async () => {
      closing = true;
      await shutDown(context, ticker, app);
    });
    const { enrolmentToken, metricsToken } = secrets;
    return { url, enrolmentToken, metricsToken, initialAdminPassword, stop };
  } catch (error) {
    await ticker.stop();
    await app?.close();
    await storage.close();
    throw error;
  }
}

async function readOptions(input: ConsoleOptionsInput): Promise<ConsoleOptions> {
  const parsed = parseConsoleOptions(input);
  if (!parsed.ok) throw new InvalidConsoleOptions(parsed.problems);
  const { webRoot } = parsed.options;
  if (webRoot !== undefined && !(await isFile(join(webRoot, 'index.html')))) {
    const problem = 'has no index.html: build the pages first, or leave the option out';
    throw new InvalidConsoleOptions([{ field: 'webRoot', value: webRoot, problem }]);
  }
  return parsed.options;
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );
}

function limitsOf(options: ConsoleOptions): ConsoleLimits {
  return {
    windowSeconds: options.windowSeconds,
    initialSplit: options.initialSplit,
    oldestProtocolVersion: OLDEST_PROTOCOL_VERSION,
    sessionMs: 12 * 3_600_000,
    probeTimeoutMs: 10_000,
  };
}

/** Brings back everything that outlives a restart and wires it together; it does not listen and sets no timers. */
export async function assemble(
  options: ConsoleOptions,
  secrets: ConsoleSecrets & { manifestKey: string },
  storage: Storage,
  dependencies: ConsoleDependencies & { logger: FastifyBaseLogger; clock: Clock },
  metrics: ConsoleMetrics,
): Promise<ConsoleContext> {
  const { clock, logger } = dependencies;
  const secretBox = aesSecretBox(secrets.encryptionKey);
  await requireOwnSecrets(storage, secretBox);
  const windowMs = options.windowSeconds * 1_000;
  const start = { nowMs: clock.nowMs(), steadyMs: clock.steadyMs() };
  const governor = (await storage.settings.governor()) ?? {
    version: 0,
    changedBy: 'default',
    changedAtMs: start.nowMs,
    settings: DEFAULT_GOVERNOR_SETTINGS,
  };
  const leases = new LeaseWatch();
  for (const { shardId, jobId, leaseId, agentId } of await storage.shards.leased()) {
    if (leaseId !== null && agentId !== null) leases.begin({ leaseId, shardId, jobId, agentId }, start.steadyMs);
  }
  const fleet = new Fleet(windowMs * ONLINE_WINDOWS, await storage.agents.all(), start);
  const alarms = new AlarmBoard(await rememberedRules(storage), () => systemRandom.id('alm'));
  const resolver = dependencies.resolver ?? systemResolver(clock);
  const quotaSide = await openQuotaSide(options, storage, secretBox, resolver, { ...dependencies, clock, logger });
  const { ledger = null } = dependencies;
  const governed = await openGoverning(storage, { fleet, leases, governor, windowMs, clock, log: logger, ledger, start });
  const context: ConsoleContext = {
    limits: limitsOf(options),
    clock,
    random: systemRandom,
    log: logger,
    storage,
    secretBox,
    passwords: scryptHasher(),
    probe: dependencies.endpointProbe,
    resolver,
    webhookSender: dependencies.webhookSender ?? httpWebhookSender(),
    publicUrl: options.publicUrl?.replace(/\/+$/, '') ?? null,
    sessionKey: secrets.sessionKey,
    enrolmentToken: secrets.enrolmentToken,
    fleet,
    ...governed,
    history: await openHistory(storage, fleet, alarms.active(), {
      windowMs,
      limitTps: governed.governing.enforcedTps,
      setLimitTps: governed.governing.enforcedSetTps,
      start,
    }),
    alarms,
    leases,
    rates: new JobRates(),
    gauges: new JobGauges(),
    manifestSigner: manifestSigner(secrets.manifestKey),
    ...quotaSide,
    desk: new ClaimDesk<Assignment>({
      clock,
      take: (agentId) => takeShard(context, agentId),
      giveBack: (assignment) => giveBack(context, assignment),
      load: (agentId) => leases.load(agentId),
      level: (agentId) => fleet.get(agentId)?.protocolVersion ?? 0,
      onError: (error) => logger.error({ error: String(error) }, 'the queue could not be read'),
    }),
    governor,
    windows: [],
    count: (event, by) => metrics.count(event, by),
  };
  metrics.observe(context);
  return context;
}

/** Stores, quotas and audits, and what the console limits itself with, which is shown beside them. */
async function openQuotaSide(
  { dataDir }: ConsoleOptions,
  storage: Storage,
  secretBox: SecretBox,
  resolver: NameResolver,
  { clock, logger: log, ...given }: ConsoleDependencies & { logger: FastifyBaseLogger; clock: Clock },
): Promise<Pick<ConsoleContext, 'loginLimiter' | 'callLimiter' | 'quotaConnector' | 'quotas' | 'quotaAudits'>> {
  const connector = given.quotaConnector ?? quotaConnector(clock);
  const desks = await openQuotas({ clock, log, storage, secretBox, resolver, connector, dataDir });
  const own = ownLimiters(clock, (quota, subject, decision) => desks.quotas.noteOwn(quota, subject, decision));
  return { loginLimiter: own.logins, callLimiter: own.calls, quotaConnector: connector, ...desks };
}

async function listen(app: FastifyInstance, { host, port, tlsCertFile }: ConsoleOptions): Promise<string> {
  await app.listen({ host, port });
  const bound = app.server.address();
  const boundPort = typeof bound === 'object' && bound !== null ? bound.port : port;
  const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `${tlsCertFile === undefined ? 'http' : 'https'}://${shown}:${boundPort}`;
}

async function shutDown(context: ConsoleContext, ticker: Ticker, app: FastifyInstance | undefined): Promise<void> {
  context.desk.close();
  context.webhookSender.close();
  await ticker.stop();
  const cut = context.clock.after(DRAIN_MS, () => app?.server.closeAllConnections());
  await app?.close();
  cut.cancel();
  await context.quotaAudits.close();
  await context.quotas.close();
  await writeBehind(context).catch((error: unknown) => {
    context.log.error(
      { error: String(error) },
      'the last heartbeats could not be written; they cost a gap in the history',
    );
  });
  await context.loginLimiter.close();
  await context.storage.close();
}

function once(run: () => Promise<void>): () => Promise<void> {
  let ran: Promise<void> | undefined;
  return async () => {
    ran ??= run();
    return ran;
  };
}

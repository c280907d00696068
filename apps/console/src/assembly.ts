import {
  DEFAULT_GOVERNOR_SETTINGS,
  OLDEST_PROTOCOL_VERSION,
  ONLINE_WINDOWS,
  type Assignment,
  type VersionedGovernorSettings,
} from '@weir/protocol';
import type { FastifyBaseLogger } from 'fastify';
import type { ConsoleContext, ConsoleLimits } from './actions/context.ts';
import type { ConsoleOptions } from './config/console-options.ts';
import type { Moment } from './fleet/fleet.ts';
import type { ConsoleMetrics } from './http/metrics.ts';
import type { Clock } from './ports/clock.ts';
import type { ConsoleSecrets } from './storage/files/secrets-file.ts';
import { giveBack } from './actions/claim-work.ts';
import { openGoverning } from './actions/open-governing.ts';
import { openHistory } from './actions/open-history.ts';
import { openQuotas } from './actions/open-quotas.ts';
import { rememberedRules } from './actions/remembered-alarms.ts';
import { requireOwnSecrets } from './actions/require-own-secrets.ts';
import { takeShard } from './actions/take-shard.ts';
import { AlarmBoard } from './fleet/alarm-board.ts';
import { ClaimDesk } from './fleet/claim-desk.ts';
import { Fleet } from './fleet/fleet.ts';
import { JobGauges } from './fleet/job-gauges.ts';
import { JobRates } from './fleet/job-rates.ts';
import { LeadLog } from './fleet/lead-log.ts';
import { LeaseWatch } from './fleet/lease-watch.ts';
import { httpWebhookSender } from './host/http-webhook-sender.ts';
import { systemResolver } from './host/system-resolver.ts';
import { PendingWrites } from './fleet/pending-writes.ts';
import { UnwrittenWindows } from './fleet/unwritten-windows.ts';
import type { LedgerTier } from './ports/credit-ledger.ts';
import type { EndpointProbe } from './ports/endpoint-probe.ts';
import type { NameResolver } from './ports/name-resolver.ts';
import type { QuotaConnector } from './ports/quota-connector.ts';
import type { SecretBox } from './ports/secret-box.ts';
import type { Storage } from './ports/storage.ts';
import { StorageUnavailable } from './ports/storage-unavailable.ts';
import type { WebhookSender } from './ports/webhook-sender.ts';
import { quotaConnector } from './quotas/connector.ts';
import { aesSecretBox } from './security/aes-secret-box.ts';
import { manifestSigner } from './security/manifest.ts';
import { systemRandom } from './security/random-source.ts';
import { scryptHasher } from './security/scrypt-hasher.ts';
import { ownLimiters } from './security/own-limiters.ts';

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
  /** The way from one version of a group's database to the next. Default: that of this version. */
  migrations?: readonly string[];
  /** Told the password of a new `admin` that a console of a group had to make after its start. Default: nobody learns it. */
  passwordMade?: (password: string) => void;
}

function limitsOf(options: ConsoleOptions): ConsoleLimits {
  return {
    windowSeconds: options.windowSeconds,
    initialSplit: options.initialSplit,
    maxAgents: options.maxAgents,
    retentionDays: options.retentionDays,
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
  const governor = await storedSettings(storage, start.nowMs);
  const leases = await storedLeases(storage, start);
  const fleet = new Fleet(windowMs * ONLINE_WINDOWS, await storage.agents.all(), start);
  const alarms = new AlarmBoard(await rememberedRules(storage), () => systemRandom.id('alm'));
  const resolver = dependencies.resolver ?? systemResolver(clock);
  const quotaSide = await openQuotaSide(options, storage, secretBox, resolver, { ...dependencies, clock, logger });
  const { ledger = null } = dependencies;
  const surroundings = { windowMs, clock, log: logger, ledger, start };
  const governed = await openGoverning(storage, { fleet, leases, governor, ...surroundings });
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
    leads: new LeadLog(),
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
      onError: (error) => {
        // That the database is away is said where it is noticed, and not for each agent that asks for work meanwhile.
        const level = error instanceof StorageUnavailable ? 'debug' : 'error';
        logger[level]({ error: String(error) }, 'the queue could not be read');
      },
    }),
    governor,
    windows: new UnwrittenWindows(),
    pending: new PendingWrites(),
    count: (event, by) => metrics.count(event, by),
  };
  metrics.observe(context);
  return context;
}

async function storedSettings(storage: Storage, nowMs: number): Promise<VersionedGovernorSettings> {
  const stored = await storage.settings.governor();
  return stored ?? { version: 0, changedBy: 'default', changedAtMs: nowMs, settings: DEFAULT_GOVERNOR_SETTINGS };
}

async function storedLeases(storage: Storage, start: Moment): Promise<LeaseWatch> {
  const leases = new LeaseWatch();
  for (const { shardId, jobId, leaseId, agentId } of await storage.shards.leased()) {
    if (leaseId !== null && agentId !== null) leases.begin({ leaseId, shardId, jobId, agentId }, start.steadyMs);
  }
  return leases;
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

import type { Coordinator } from '@weir/governor';
import { ONLINE_WINDOWS, type Assignment, type VersionedGovernorSettings } from '@weir/protocol';
import type { ClaimDesk } from '../fleet/claim-desk.ts';
import type { Fleet, Moment } from '../fleet/fleet.ts';
import type { Governing } from '../fleet/governing.ts';
import type { JobGauges } from '../fleet/job-gauges.ts';
import type { JobRates } from '../fleet/job-rates.ts';
import type { LeadLog } from '../fleet/lead-log.ts';
import type { LeaseWatch } from '../fleet/lease-watch.ts';
import type { MonitorHistory } from '../fleet/monitor-history.ts';
import type { PendingWrites } from '../fleet/pending-writes.ts';
import type { UnwrittenWindows } from '../fleet/unwritten-windows.ts';
import type { CallLimiter } from '../ports/call-limiter.ts';
import type { Clock } from '../ports/clock.ts';
import type { EndpointProbe } from '../ports/endpoint-probe.ts';
import type { Logger } from '../ports/logger.ts';
import type { LoginLimiter } from '../ports/login-limiter.ts';
import type { ManifestSigner } from '../ports/manifest-signer.ts';
import type { NameResolver } from '../ports/name-resolver.ts';
import type { PasswordHasher } from '../ports/password-hasher.ts';
import type { QuotaConnector } from '../ports/quota-connector.ts';
import type { Random } from '../ports/random.ts';
import type { SecretBox } from '../ports/secret-box.ts';
import type { Storage } from '../ports/storage.ts';
import type { WebhookSender } from '../ports/webhook-sender.ts';
import type { AlarmBoard } from '../fleet/alarm-board.ts';
import type { AuditDesk } from '../quotas/audit-desk.ts';
import type { QuotaDesk } from '../quotas/quota-desk.ts';

/** Numbers that the actions go by. */
export interface ConsoleLimits {
  /** Length of a credit window, in seconds. */
  windowSeconds: number;
  /** Parts that the first holder of a new job splits it into. */
  initialSplit: number;
  /** Agents that may be enrolled at once; revoked ones do not count. */
  maxAgents: number;
  /** Days for which what has ended is kept. */
  retentionDays: { jobs: number; failures: number; alarms: number; audit: number };
  /** Oldest version of the wire that agents may speak. */
  oldestProtocolVersion: number;
  /** How long a login lasts, in ms. */
  sessionMs: number;
  /** How long an endpoint may take to answer a probe, in ms. */
  probeTimeoutMs: number;
}

/** Events that metrics count. */
export type CountedEvent = 'heartbeat' | 'lease-lapsed' | 'login-failed' | 'job-created' | 'object-failures';

/** Everything that actions work with: the ports, and the live state of this process. */
export interface ConsoleContext {
  readonly limits: ConsoleLimits;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly storage: Storage;
  readonly secretBox: SecretBox;
  readonly passwords: PasswordHasher;
  readonly loginLimiter: LoginLimiter;
  readonly callLimiter: CallLimiter;
  readonly probe: EndpointProbe;
  readonly resolver: NameResolver;
  readonly webhookSender: WebhookSender;
  readonly quotaConnector: QuotaConnector;
  /** Address that people reach the pages at, when it was configured. */
  readonly publicUrl: string | null;
  readonly sessionKey: string;
  readonly enrolmentToken: string;

  readonly fleet: Fleet;
  readonly coordinator: Coordinator;
  readonly governing: Governing;
  readonly history: MonitorHistory;
  readonly alarms: AlarmBoard;
  readonly leads: LeadLog;
  readonly leases: LeaseWatch;
  readonly rates: JobRates;
  readonly gauges: JobGauges;
  readonly manifestSigner: ManifestSigner;
  readonly desk: ClaimDesk<Assignment>;
  readonly quotas: QuotaDesk;
  readonly quotaAudits: AuditDesk;
  /** Settings in force; replaced as a whole when they are changed. */
  governor: VersionedGovernorSettings;
  /** Finished windows that are not written yet. */
  readonly windows: UnwrittenWindows;
  readonly pending: PendingWrites;
  /** Counts an event for the metrics. */
  count(event: CountedEvent, by?: number): void;
}

/** Now, on both clocks. */
export function momentOf(context: Pick<ConsoleContext, 'clock'>): Moment {
  return { nowMs: context.clock.nowMs(), steadyMs: context.clock.steadyMs() };
}

/** How long an agent may be silent and still be online, in ms: three windows. */
export function silenceMs(context: Pick<ConsoleContext, 'limits'>): number {
  return context.limits.windowSeconds * ONLINE_WINDOWS * 1_000;
}

/**
 * How long a lease lasts without a report, in ms: three windows, and 15 s where windows are very short, because agents
 * report on each lease every 2 s and repeat an unanswered report after up to 10 s.
 */
export function leaseMs(context: Pick<ConsoleContext, 'limits'>): number {
  return Math.max(15_000, silenceMs(context));
}

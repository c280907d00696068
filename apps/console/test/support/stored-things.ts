import { DEFAULT_JOB_OPTIONS, type AlarmView, type CopyFailure, type WindowRecord } from '@weir/protocol';
import type { StoredAgent } from '../../src/ports/agent-store.ts';
import type { Account } from '../../src/ports/account-store.ts';
import type { AuditEntry } from '../../src/ports/audit-store.ts';
import type { StoredEndpoint } from '../../src/ports/endpoint-store.ts';
import type { StoredJob } from '../../src/ports/job-store.ts';
import type { Delivery, StoredWebhook } from '../../src/ports/webhook-store.ts';

/** A moment that tests of storage agree on. */
export const T = 1_800_000_000_000;

export const storedJob = (jobId: string, change: Partial<StoredJob> = {}): StoredJob => ({
  jobId,
  name: `name of ${jobId}`,
  source: { endpointId: 'ep-1', endpointName: 'source', bucket: 'photos', prefix: '' },
  target: { endpointId: 'ep-2', endpointName: 'target', bucket: 'archive', prefix: 'a/' },
  mode: 'copy-all',
  options: DEFAULT_JOB_OPTIONS,
  needsVersion: 2,
  state: 'queued',
  error: null,
  createdBy: 'test',
  createdAtMs: T,
  startedAtMs: null,
  finishedAtMs: null,
  ...change,
});

export const storedAgent = (agentId: string, change: Partial<StoredAgent> = {}): StoredAgent => ({
  agentId,
  name: agentId,
  host: 'host',
  version: '1',
  protocolVersion: 1,
  limiter: true,
  revoked: false,
  credentialHash: 'f'.repeat(64),
  enrolledAtMs: T,
  lastHeartbeatAtMs: null,
  bootId: null,
  holdoffUntilMs: null,
  holdoffCount: 0,
  ...change,
});

export const storedAccount = (username: string, change: Partial<Account> = {}): Account => ({
  username,
  role: 'viewer',
  passwordHash: 'hash',
  createdAtMs: T,
  createdBy: null,
  passwordChangedAtMs: null,
  lastLoginAtMs: null,
  ...change,
});

export const storedEndpoint = (endpointId: string, name = endpointId): StoredEndpoint => ({
  endpointId,
  name,
  url: 'http://127.0.0.1:9000',
  region: 'us-east-1',
  pathStyle: true,
  accessKeyId: 'key',
  sealedSecret: 'sealed',
  createdAtMs: T,
});

export const storedWebhook = (webhookId: string): StoredWebhook => ({
  webhookId,
  name: webhookId,
  host: 'https://hooks.example',
  sealedUrl: 'sealed',
  sealedSigningSecret: 'sealed',
  format: 'json',
  reminders: false,
  createdAtMs: T,
  createdBy: 'test',
});

export const storedDelivery = (deliveryId: string, change: Partial<Delivery> = {}): Delivery => ({
  deliveryId,
  webhookId: 'wh-1',
  alarmId: 'alm-1',
  event: 'raised',
  body: '{}',
  createdAtMs: T,
  state: 'waiting',
  attempts: 0,
  nextAttemptAtMs: T,
  deliveredAtMs: null,
  problem: null,
  ...change,
});

export const storedAlarm = (alarmId: string, raisedAtMs = T): AlarmView => ({
  alarmId,
  code: 'CV-TPS-001',
  severity: 'WARNING',
  title: 'title',
  raisedAtMs,
  lastFiredAtMs: raisedAtMs,
  firings: 1,
  peakValue: 97.5,
  threshold: 95,
  endedAtMs: null,
  endedBy: null,
  acknowledgedBy: null,
  acknowledgedAtMs: null,
});

export const storedEntry = (change: Partial<AuditEntry> = {}): AuditEntry => ({
  atMs: T,
  actor: 'anna',
  action: 'job.create',
  subject: 'job-1',
  address: null,
  detail: {},
  changes: [],
  ...change,
});

export const storedWindow = (
  agentId: string,
  windowNumber: number,
  change: Partial<WindowRecord> = {},
): WindowRecord => ({
  agentId,
  epoch: 'e1',
  windowNumber,
  endedAtMs: T + windowNumber * 30_000,
  windowMs: 30_000,
  allocatedTps: 333.5,
  creditBudget: 10_005,
  chargedOps: 9_000,
  actualTps: 300.25,
  peakSecondTps: 512,
  ...change,
});

export const failure = (key: string, code = 'AccessDenied'): CopyFailure => ({
  key,
  code,
  message: `message of ${key}`,
  requestId: null,
});

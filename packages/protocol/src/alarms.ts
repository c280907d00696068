import { z } from 'zod';
import { count, displayName, id, rate, timestampMs } from './identifiers.ts';

/** One alarm from its first firing to its end. */
export const alarmView = z.object({
  alarmId: id,
  /** Rule, such as CV-TPS-001. */
  code: z.string(),
  severity: z.enum(['WARNING', 'CRITICAL']),
  title: z.string(),
  raisedAtMs: timestampMs,
  lastFiredAtMs: timestampMs,
  firings: count,
  /** Highest value seen, in percent for CV-TPS-001. */
  peakValue: rate,
  threshold: rate,
  endedAtMs: timestampMs.nullable(),
  /** `cleared`: fell below the clear level · `expired`: ten minutes after the last firing. */
  endedBy: z.enum(['cleared', 'expired']).nullable(),
  acknowledgedBy: z.string().nullable(),
  acknowledgedAtMs: timestampMs.nullable(),
});
export type AlarmView = z.infer<typeof alarmView>;
export const alarmList = z.object({ alarms: z.array(alarmView) });

/** A rule of the alarm table, with the value that it looks at now. */
export const alarmRuleView = z.object({
  code: z.string(),
  severity: z.enum(['WARNING', 'CRITICAL']),
  title: z.string(),
  /** Fires above this value; percent for CV-TPS-001. */
  threshold: rate,
  /** Clears below this value; never when it is not above 0. */
  clearBelow: z.number(),
  cooldownMs: count,
  checkEveryMs: count,
  /** Ends by itself this long after its last firing. */
  endsAfterMs: count,
  value: rate,
  /** False while limiting is off: there is nothing to look at. */
  watching: z.boolean(),
  active: z.boolean(),
});
export type AlarmRuleView = z.infer<typeof alarmRuleView>;
export const alarmRuleList = z.object({ rules: z.array(alarmRuleView) });

/**
 * What is sent when an alarm begins or ends. `json`: all about it, and a sentence in `text` · `slack`: the sentence alone, as
 * Slack's incoming webhooks (and what imitates them) take it.
 */
export const WEBHOOK_FORMATS = ['json', 'slack'] as const;

export const webhookInput = z.strictObject({
  name: displayName,
  /** Often holds a token in its path, so it is kept encrypted and never shown again. */
  secretUrl: z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' }).max(2_048),
  format: z.enum(WEBHOOK_FORMATS).default('json'),
  /** Tell also when an alarm fires again while it is active. */
  reminders: z.boolean().default(false),
});
export type WebhookInput = z.infer<typeof webhookInput>;

/** How the last attempts of a webhook went. */
export const webhookView = z.object({
  webhookId: id,
  name: displayName,
  /** Scheme, host and port; not the path. */
  host: z.string(),
  format: z.enum(WEBHOOK_FORMATS),
  reminders: z.boolean(),
  createdAtMs: timestampMs,
  createdBy: z.string(),
  /** Messages that wait for a first or another attempt. */
  waiting: count,
  lastDeliveredAtMs: timestampMs.nullable(),
  /** What was seen at the last attempt that failed after the last that succeeded; null: nothing is wrong. */
  lastFailure: z.string().nullable(),
});
export type WebhookView = z.infer<typeof webhookView>;
export const webhookList = z.object({ webhooks: z.array(webhookView) });

/** A webhook that was added, with the key of its signatures: shown this once. */
export const webhookCreated = z.object({ webhook: webhookView, signingSecret: z.string() });
export type WebhookCreated = z.infer<typeof webhookCreated>;

/** How a test message was received. `status` is null when nobody answered. */
export const webhookTestResult = z.object({
  ok: z.boolean(),
  status: z.number().int().nullable(),
  latencyMs: rate,
  /** One sentence on what went wrong; null: nothing. */
  problem: z.string().nullable(),
});
export type WebhookTestResult = z.infer<typeof webhookTestResult>;

/** One message on its way, or delivered, or given up. */
export const deliveryView = z.object({
  deliveryId: id,
  webhookId: id,
  webhookName: z.string(),
  alarmId: id,
  event: z.enum(['raised', 'fired', 'cleared', 'expired']),
  createdAtMs: timestampMs,
  state: z.enum(['waiting', 'delivered', 'given-up']),
  attempts: count,
  /** When it will be tried (again); null when it will not. */
  nextAttemptAtMs: timestampMs.nullable(),
  deliveredAtMs: timestampMs.nullable(),
  problem: z.string().nullable(),
});
export type DeliveryView = z.infer<typeof deliveryView>;
export const deliveryList = z.object({ deliveries: z.array(deliveryView) });

/** Webhooks that a console has at most: each alarm is sent to all of them. */
export const MAX_WEBHOOKS = 10;

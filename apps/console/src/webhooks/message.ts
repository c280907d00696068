import { createHmac } from 'node:crypto';
import type { AlarmView, DeliveryView, WebhookInput } from '@weir/protocol';

/** What a message says. */
export interface AlarmNews {
  deliveryId: string;
  event: DeliveryView['event'];
  atMs: number;
  alarm: AlarmView;
  /** Value seen when it happened, in percent. */
  utilizationPercent: number;
  globalLimitTps: number;
  /** Address of the console's pages; null: not configured. */
  consoleUrl: string | null;
}

const number = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

const HAPPENED: Readonly<Record<DeliveryView['event'], string>> = {
  raised: 'raised',
  fired: 'still active',
  cleared: 'cleared',
  expired: 'ended without a clear',
};

/** One sentence for people. */
export function sentenceOf(news: AlarmNews): string {
  const { alarm, event, utilizationPercent, globalLimitTps, consoleUrl } = news;
  const seen = `${number.format(utilizationPercent)}% of ${number.format(globalLimitTps)} TPS`;
  const bounds = `threshold ${number.format(alarm.threshold)}%, peak ${number.format(alarm.peakValue)}%`;
  const link = consoleUrl === null ? '' : ` ${consoleUrl}/alarms`;
  return `[${alarm.severity}] ${alarm.code} ${alarm.title} ${HAPPENED[event]}: ${seen} (${bounds}).${link}`;
}

/** The body of a message. The same news makes the same bytes. */
export function bodyOf(format: WebhookInput['format'], news: AlarmNews): string {
  const text = sentenceOf(news);
  return JSON.stringify(format === 'slack' ? { text } : { text, ...news });
}

/** The body of a test message. */
export function testBodyOf(format: WebhookInput['format'], deliveryId: string, atMs: number): string {
  const text = 'This is a test message of Weir: alarms of this console will arrive here.';
  return JSON.stringify(format === 'slack' ? { text } : { text, deliveryId, event: 'test', atMs });
}

/**
 * Headers of a message. `weir-signature: t=<s since 1970>,v1=<hex>` is HMAC-SHA256 of `<t>.<body>` with the webhook's secret: a
 * receiver that checks it, and that `t` is recent, knows that the message is ours and no old one. `weir-delivery` is the same at
 * each attempt, so that a receiver can drop a message that it has seen already.
 */
export function headersOf(
  deliveryId: string,
  body: string,
  signingSecret: string,
  nowMs: number,
): Record<string, string> {
  const seconds = Math.floor(nowMs / 1_000);
  const signature = createHmac('sha256', signingSecret).update(`${seconds}.${body}`).digest('hex');
  return {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'Weir',
    'weir-delivery': deliveryId,
    'weir-signature': `t=${seconds},v1=${signature}`,
  };
}

const FIRST_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 3_600_000;
/** After a day nobody needs to hear of an alarm any more. */
const GIVE_UP_AFTER_MS = 86_400_000;

/**
 * When a message is tried again after its n-th attempt failed: after 10 s, 20 s, 40 s, … up to an hour; null: it is given up,
 * a day after it was made.
 */
export function nextAttemptAt(attempts: number, createdAtMs: number, nowMs: number): number | null {
  const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(20, attempts - 1));
  return nowMs + pauseMs > createdAtMs + GIVE_UP_AFTER_MS ? null : nowMs + pauseMs;
}

import type { DeliveryView, WebhookInput } from '@weir/protocol';

/** A webhook as it is kept: address and signing secret only encrypted. */
export interface StoredWebhook {
  webhookId: string;
  name: string;
  /** Scheme, host and port of the address. */
  host: string;
  sealedUrl: string;
  sealedSigningSecret: string;
  format: WebhookInput['format'];
  reminders: boolean;
  createdAtMs: number;
  createdBy: string;
}

/** A message to one webhook. Its body is made once, so that every attempt sends the same bytes. */
export interface Delivery {
  deliveryId: string;
  webhookId: string;
  alarmId: string;
  event: DeliveryView['event'];
  body: string;
  createdAtMs: number;
  state: DeliveryView['state'];
  attempts: number;
  nextAttemptAtMs: number | null;
  deliveredAtMs: number | null;
  problem: string | null;
}

/** A test message that was received. One that was not is told to whoever sent it, and not kept. */
export interface ReceivedTest {
  deliveryId: string;
  webhookId: string;
  body: string;
  createdAtMs: number;
  deliveredAtMs: number;
}

/** Webhooks, and the messages that wait for them. */
export interface WebhookStore {
  /** By name. */
  all(): Promise<StoredWebhook[]>;
  get(webhookId: string): Promise<StoredWebhook | undefined>;
  insert(webhook: StoredWebhook): Promise<void>;
  /** Its messages go with it. */
  delete(webhookId: string): Promise<void>;
  addDelivery(delivery: Delivery): Promise<void>;
  saveDelivery(delivery: Delivery): Promise<void>;
  /** Keeps that a test message was received: it counts for `lastTried` and `lastDelivered`, and is listed nowhere. */
  addReceivedTest(test: ReceivedTest): Promise<void>;
  /** Of each webhook the oldest message that waits, if it is due: messages to one webhook keep their order. */
  due(nowMs: number): Promise<Delivery[]>;
  /** Newest first, without test messages. */
  deliveries(limit: number): Promise<Delivery[]>;
  /** Messages that wait, by webhook. */
  waiting(): Promise<Map<string, number>>;
  /** How the latest message of each webhook that was tried went. */
  lastTried(): Promise<Map<string, Pick<Delivery, 'state' | 'problem'>>>;
  /** The latest delivery of each webhook, in ms since 1970. */
  lastDelivered(): Promise<Map<string, number>>;
  /** Deletes the oldest messages that do not wait beyond `keep`, at most `batch`; returns how many went. */
  pruneDeliveries(keep: number, batch: number): Promise<number>;
}

import { sql, type Insertable, type Kysely, type Selectable } from 'kysely';
import type { Delivery, ReceivedTest, StoredWebhook, WebhookStore } from '../../ports/webhook-store.ts';
import type { Tables } from './schema.ts';

/** What stands for the event of a test message, which no alarm has. */
const TEST_EVENT = 'test';

/** Webhooks and their messages in SQL. */
export function sqlWebhookStore(db: Kysely<Tables>): WebhookStore {
  return { ...webhooks(db), ...messages(db), ...summaries(db) };
}

function webhooks(db: Kysely<Tables>): Pick<WebhookStore, 'all' | 'get' | 'insert' | 'delete'> {
  return {
    async all() {
      return (await db.selectFrom('webhooks').selectAll().orderBy('name').execute()).map(webhookOf);
    },
    async get(webhookId) {
      const row = await db.selectFrom('webhooks').selectAll().where('webhook_id', '=', webhookId).executeTakeFirst();
      return row && webhookOf(row);
    },
    async insert(webhook) {
      await db
        .insertInto('webhooks')
        .values({
          webhook_id: webhook.webhookId,
          name: webhook.name,
          host: webhook.host,
          sealed_url: webhook.sealedUrl,
          sealed_signing_secret: webhook.sealedSigningSecret,
          format: webhook.format,
          reminders: webhook.reminders ? 1 : 0,
          created_at_ms: webhook.createdAtMs,
          created_by: webhook.createdBy,
        })
        .execute();
    },
    async delete(webhookId) {
      await db.deleteFrom('deliveries').where('webhook_id', '=', webhookId).execute();
      await db.deleteFrom('webhooks').where('webhook_id', '=', webhookId).execute();
    },
  };
}

function messages(
  db: Kysely<Tables>,
): Pick<WebhookStore, 'addDelivery' | 'saveDelivery' | 'addReceivedTest' | 'due' | 'deliveries' | 'pruneDeliveries'> {
  return {
    async addDelivery(delivery) {
      await db.insertInto('deliveries').values(rowOf(delivery)).execute();
    },
    async saveDelivery(delivery) {
      await db.updateTable('deliveries').set(rowOf(delivery)).where('delivery_id', '=', delivery.deliveryId).execute();
    },
    async addReceivedTest(test) {
      await db.insertInto('deliveries').values(rowOfTest(test)).execute();
    },
    async due(nowMs) {
      const rows = await db
        .selectFrom('deliveries')
        .selectAll()
        .where('next_attempt_at_ms', '<=', nowMs)
        .where(
          'sequence',
          'in',
          sql<number>`(select min(sequence) from deliveries where state = 'waiting' group by webhook_id)`,
        )
        .execute();
      return rows.map(deliveryOf);
    },
    async deliveries(limit) {
      const rows = await db
        .selectFrom('deliveries')
        .selectAll()
        .where('event', '!=', TEST_EVENT)
        .orderBy('sequence', 'desc')
        .limit(limit)
        .execute();
      return rows.map(deliveryOf);
    },
    async pruneDeliveries(keep, batch) {
      const result = await sql`delete from deliveries where sequence in
        (select sequence from deliveries where state <> 'waiting' order by sequence desc limit ${batch} offset ${keep})`.execute(
        db,
      );
      return Number(result.numAffectedRows ?? 0n);
    },
  };
}

function summaries(db: Kysely<Tables>): Pick<WebhookStore, 'waiting' | 'lastTried' | 'lastDelivered'> {
  return {
    async waiting() {
      const rows = await db
        .selectFrom('deliveries')
        .select(({ fn }) => ['webhook_id', fn.countAll<number>().as('count')])
        .where('state', '=', 'waiting')
        .groupBy('webhook_id')
        .execute();
      return new Map(rows.map(({ webhook_id, count }) => [webhook_id, count]));
    },
    async lastTried() {
      const rows = await db
        .selectFrom('deliveries')
        .selectAll()
        .where(
          'sequence',
          'in',
          sql<number>`(select max(sequence) from deliveries where attempts > 0 group by webhook_id)`,
        )
        .execute();
      return new Map(
        rows.map((row) => {
          const { state, problem } = deliveryOf(row);
          return [row.webhook_id, { state, problem }];
        }),
      );
    },
    async lastDelivered() {
      const rows = await db
        .selectFrom('deliveries')
        .select(({ fn }) => ['webhook_id', fn.max<number>('delivered_at_ms').as('at_ms')])
        .where('delivered_at_ms', 'is not', null)
        .groupBy('webhook_id')
        .execute();
      return new Map(rows.map(({ webhook_id, at_ms }) => [webhook_id, at_ms]));
    },
  };
}

function webhookOf(row: Selectable<Tables['webhooks']>): StoredWebhook {
  return {
    webhookId: row.webhook_id,
    name: row.name,
    host: row.host,
    sealedUrl: row.sealed_url,
    sealedSigningSecret: row.sealed_signing_secret,
    format: row.format === 'slack' ? 'slack' : 'json',
    reminders: row.reminders === 1,
    createdAtMs: row.created_at_ms,
    createdBy: row.created_by,
  };
}

function rowOf(delivery: Delivery): Insertable<Tables['deliveries']> {
  return {
    delivery_id: delivery.deliveryId,
    webhook_id: delivery.webhookId,
    alarm_id: delivery.alarmId,
    event: delivery.event,
    body: delivery.body,
    created_at_ms: delivery.createdAtMs,
    state: delivery.state,
    attempts: delivery.attempts,
    next_attempt_at_ms: delivery.nextAttemptAtMs,
    delivered_at_ms: delivery.deliveredAtMs,
    problem: delivery.problem,
  };
}

function rowOfTest({
  deliveryId,
  webhookId,
  body,
  createdAtMs,
  deliveredAtMs,
}: ReceivedTest): Insertable<Tables['deliveries']> {
  return {
    delivery_id: deliveryId,
    webhook_id: webhookId,
    alarm_id: '',
    event: TEST_EVENT,
    body,
    created_at_ms: createdAtMs,
    state: 'delivered',
    attempts: 1,
    next_attempt_at_ms: null,
    delivered_at_ms: deliveredAtMs,
    problem: null,
  };
}

function deliveryOf(row: Selectable<Tables['deliveries']>): Delivery {
  return {
    deliveryId: row.delivery_id,
    webhookId: row.webhook_id,
    alarmId: row.alarm_id,
    event: eventOf(row.event),
    body: row.body,
    createdAtMs: row.created_at_ms,
    state: row.state === 'delivered' || row.state === 'given-up' ? row.state : 'waiting',
    attempts: row.attempts,
    nextAttemptAtMs: row.next_attempt_at_ms,
    deliveredAtMs: row.delivered_at_ms,
    problem: row.problem,
  };
}

function eventOf(text: string): Delivery['event'] {
  return text === 'fired' || text === 'cleared' || text === 'expired' ? text : 'raised';
}

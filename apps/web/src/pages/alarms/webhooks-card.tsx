import { useState, type ReactElement } from 'react';
import type { DeliveryView, WebhookCreated, WebhookView } from '@weir/protocol';
import { useDeleteWebhook, useDeliveries, useTestWebhook, useWebhooks } from '../../data/webhooks.ts';
import { Address } from '../../components/address.tsx';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Notice } from '../../components/notice.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { Remark } from '../../components/remark.tsx';
import { Cell, Column, RowHeader, Table } from '../../components/table.tsx';
import { toastDone, toastError } from '../../components/toasts.tsx';
import { formatCount } from '../../format/numbers.ts';
import { formatDateTime, formatDuration } from '../../format/time.ts';
import { MadeSecret } from '../accounts/made-secret.tsx';
import { WebhookDialog } from './webhook-form.tsx';
import styles from './webhooks.module.css';

/** Who is told of alarms. For administrators. */
export function WebhooksCard(): ReactElement {
  const webhooks = useWebhooks();
  const [adding, setAdding] = useState(false);
  const [created, setCreated] = useState<WebhookCreated | null>(null);
  return (
    <Card
      title="Webhooks"
      description="Told when an alarm begins and when it ends; signed, and repeated until they are received."
      flush
      actions={
        <Button variant="primary" icon="plus" onClick={() => setAdding(true)}>
          Add webhook
        </Button>
      }
    >
      <QueryState query={webhooks} placeholderHeight={140}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState icon="alarms" title="Nobody is told yet">
              A webhook brings alarms to a chat, a pager or a program of yours.
            </EmptyState>
          ) : (
            <WebhookTable webhooks={list} />
          )
        }
      </QueryState>
      {adding && (
        <WebhookDialog
          onClose={() => setAdding(false)}
          onCreated={(made) => {
            setAdding(false);
            setCreated(made);
          }}
        />
      )}
      {created !== null && (
        <MadeSecret
          title={`${created.webhook.name} is added`}
          label="Signing secret"
          secret={created.signingSecret}
          onClose={() => setCreated(null)}
        >
          Messages carry weir-signature: t=…,v1=…, the HMAC-SHA256 of “t.body” with this secret. A receiver that checks
          it knows that a message comes from here.
        </MadeSecret>
      )}
    </Card>
  );
}

function WebhookTable({ webhooks }: { webhooks: readonly WebhookView[] }): ReactElement {
  const [asking, setAsking] = useState<WebhookView | null>(null);
  return (
    <>
      <Table
        label="Webhooks"
        head={
          <>
            <Column>Name</Column>
            <Column>Host</Column>
            <Column>Last received</Column>
            <Column numeric>Waiting</Column>
            <Column numeric>
              <span className="visually-hidden">Actions</span>
            </Column>
          </>
        }
      >
        {webhooks.map((webhook) => (
          <WebhookRow key={webhook.webhookId} webhook={webhook} onRemove={() => setAsking(webhook)} />
        ))}
      </Table>
      {asking !== null && <RemoveDialog webhook={asking} onClose={() => setAsking(null)} />}
    </>
  );
}

function WebhookRow({ webhook, onRemove }: { webhook: WebhookView; onRemove: () => void }): ReactElement {
  const test = useTestWebhook();
  const { name, host, format, reminders, waiting, lastDeliveredAtMs, lastFailure } = webhook;
  const runTest = (): void => {
    test.mutate(webhook.webhookId, {
      onSuccess: ({ ok, latencyMs }) => {
        if (ok) toastDone(`${name} received the test message`, `It answered in ${formatDuration(latencyMs)}.`);
      },
      onError: toastError,
    });
  };
  return (
    <tr>
      <RowHeader>
        {name}
        <Remark>
          {format === 'slack' ? 'Slack-compatible text' : 'JSON'}
          {reminders && ', with reminders'}
        </Remark>
      </RowHeader>
      <Cell name="Host" wide>
        <Address address={host} />
        {test.data?.ok === false && (
          <Notice tone="red" live title="The test message was not received.">
            {test.data.problem}
          </Notice>
        )}
      </Cell>
      <Cell name="Last received">
        <span className={styles.moment}>
          {lastDeliveredAtMs === null ? 'nothing yet' : formatDateTime(lastDeliveredAtMs)}
        </span>
        {lastFailure !== null && <Remark>last attempt: {lastFailure}</Remark>}
      </Cell>
      <Cell name="Waiting" numeric>
        {formatCount(waiting)}
      </Cell>
      <Cell numeric>
        <span className={styles.actions}>
          <Button small busy={test.isPending} aria-label={`Send a test message to ${name}`} onClick={runTest}>
            Test
          </Button>
          <Button small aria-label={`Remove ${name}`} onClick={onRemove}>
            Remove
          </Button>
        </span>
      </Cell>
    </tr>
  );
}

function RemoveDialog({ webhook, onClose }: { webhook: WebhookView; onClose: () => void }): ReactElement {
  const remove = useDeleteWebhook();
  return (
    <ConfirmDialog
      open
      title={`Remove ${webhook.name}?`}
      confirmLabel="Remove the webhook"
      danger
      busy={remove.isPending}
      error={remove.error}
      onCancel={onClose}
      onConfirm={() =>
        remove.mutate(webhook.webhookId, {
          onSuccess: () => {
            toastDone(`${webhook.name} is removed`);
            onClose();
          },
        })
      }
    >
      It is not told of alarms any more; messages that wait for it are dropped.
    </ConfirmDialog>
  );
}

const EVENTS: Readonly<Record<DeliveryView['event'], string>> = {
  raised: 'Alarm began',
  fired: 'Reminder',
  cleared: 'Alarm cleared',
  expired: 'Alarm expired',
};

const STATES: Readonly<Record<DeliveryView['state'], { label: string; tone: 'green' | 'amber' | 'red' }>> = {
  waiting: { label: 'Waiting', tone: 'amber' },
  delivered: { label: 'Delivered', tone: 'green' },
  'given-up': { label: 'Given up', tone: 'red' },
};

/** Messages to webhooks; nothing while there is none. */
export function DeliveriesCard(): ReactElement | null {
  const deliveries = useDeliveries().data ?? [];
  if (deliveries.length === 0) return null;
  return (
    <Card title="Messages" description="The last 50, newest first." flush>
      <Table
        label="Messages to webhooks"
        head={
          <>
            <Column>Message</Column>
            <Column>To</Column>
            <Column>State</Column>
            <Column numeric>Attempts</Column>
            <Column>Next attempt</Column>
          </>
        }
      >
        {deliveries.map((delivery) => (
          <tr key={delivery.deliveryId}>
            <RowHeader>
              {EVENTS[delivery.event]}
              <Remark>{formatDateTime(delivery.createdAtMs)}</Remark>
            </RowHeader>
            <Cell name="To">{delivery.webhookName}</Cell>
            <Cell name="State">
              <Badge tone={STATES[delivery.state].tone} dot>
                {STATES[delivery.state].label}
              </Badge>
              {delivery.problem !== null && <Remark>{delivery.problem}</Remark>}
            </Cell>
            <Cell name="Attempts" numeric>
              {formatCount(delivery.attempts)}
            </Cell>
            <Cell name="Next attempt" className={styles.moment}>
              {delivery.nextAttemptAtMs === null ? '–' : formatDateTime(delivery.nextAttemptAtMs)}
            </Cell>
          </tr>
        ))}
      </Table>
    </Card>
  );
}

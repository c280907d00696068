import { acknowledgeAlarm } from '../../actions/acknowledge-alarm.ts';
import type { ConsoleContext } from '../../actions/context.ts';
import { createWebhook } from '../../actions/create-webhook.ts';
import { deleteWebhook } from '../../actions/delete-webhook.ts';
import { listAlarmRules } from '../../actions/list-alarm-rules.ts';
import { listAlarms } from '../../actions/list-alarms.ts';
import { listDeliveries, listWebhooks } from '../../actions/list-webhooks.ts';
import { testWebhook } from '../../actions/test-webhook.ts';
import { personOf, type Handlers } from '../call.ts';

/** Alarms, their rules, and the webhooks that are told of them. */
export function alarmRoutes(
  context: ConsoleContext,
): Pick<
  Handlers,
  | 'alarms'
  | 'acknowledgeAlarm'
  | 'alarmRules'
  | 'webhooks'
  | 'createWebhook'
  | 'deleteWebhook'
  | 'testWebhook'
  | 'deliveries'
> {
  return {
    alarms: async ({ query }) => ({ alarms: await listAlarms(context, query.limit) }),
    acknowledgeAlarm: (call) => acknowledgeAlarm(context, call.params.alarmId, personOf(call).username),
    alarmRules: () => ({ rules: listAlarmRules(context) }),
    webhooks: async () => ({ webhooks: await listWebhooks(context) }),
    createWebhook: (call) => createWebhook(context, call.body, personOf(call).username),
    async deleteWebhook(call) {
      await deleteWebhook(context, call.params.webhookId, personOf(call).username);
      return {};
    },
    testWebhook: (call) => testWebhook(context, call.params.webhookId, personOf(call).username),
    deliveries: async ({ query }) => ({ deliveries: await listDeliveries(context, query.limit) }),
  };
}

import { z } from 'zod';
import {
  alarmList,
  alarmRuleList,
  alarmView,
  deliveryList,
  webhookCreated,
  webhookInput,
  webhookList,
  webhookTestResult,
} from './alarms.ts';
import { id } from './identifiers.ts';
import { pageQuery, route } from './route.ts';
import { empty } from './session.ts';

const alarmParams = z.object({ alarmId: id });
const webhookParams = z.object({ webhookId: id });

/** Alarms. */
export const alarmRoutes = {
  alarms: route('GET', '/api/v1/alarms', 'viewer', 'Alarms, newest first', { query: pageQuery, response: alarmList }),
  acknowledgeAlarm: route('POST', '/api/v1/alarms/:alarmId/acknowledge', 'operator', 'Acknowledge an alarm', {
    params: alarmParams,
    response: alarmView,
  }),
} as const;

/** Alarm rules, and the webhooks that are told of alarms. */
export const webhookRoutes = {
  alarmRules: route('GET', '/api/v1/alarm-rules', 'viewer', 'Alarm rules', { response: alarmRuleList }),
  webhooks: route('GET', '/api/v1/webhooks', 'admin', 'Webhooks', { response: webhookList }),
  createWebhook: route('POST', '/api/v1/webhooks', 'admin', 'Add a webhook', {
    body: webhookInput,
    response: webhookCreated,
  }),
  deleteWebhook: route('DELETE', '/api/v1/webhooks/:webhookId', 'admin', 'Remove a webhook', {
    params: webhookParams,
    response: empty,
  }),
  testWebhook: route('POST', '/api/v1/webhooks/:webhookId/test', 'admin', 'Send a test message now', {
    params: webhookParams,
    response: webhookTestResult,
  }),
  deliveries: route('GET', '/api/v1/webhook-deliveries', 'admin', 'Messages to webhooks, newest first', {
    query: pageQuery,
    response: deliveryList,
  }),
} as const;

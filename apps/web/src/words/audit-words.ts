/** What each action of the audit log is called; one that this page does not know is shown as it is. */
const ACTIONS: Readonly<Record<string, string>> = {
  login: 'Logged in',
  'login.refuse': 'Login refused',
  logout: 'Logged out',
  'account.create': 'Account added',
  'account.change': 'Account set by the options',
  'account.role': 'Role changed',
  'account.password': 'Password set',
  'account.delete': 'Account deleted',
  'password.refuse': 'Password change refused',
  'agent.enrol': 'Agent enrolled',
  'agent.revoke': 'Agent revoked',
  'endpoint.create': 'Endpoint added',
  'endpoint.delete': 'Endpoint removed',
  'console.lead': 'Took the lead',
  'job.create': 'Job created',
  'job.fail': 'Job failed',
  'job.pause': 'Job paused',
  'job.resume': 'Job resumed',
  'job.cancel': 'Job cancelled',
  'job.retry': 'Job retried',
  'job.repeat': 'Job repeated',
  'job.delete': 'Job removed',
  'settings.governor': 'TPS settings changed',
  'alarm.acknowledge': 'Alarm acknowledged',
  'webhook.create': 'Webhook added',
  'webhook.delete': 'Webhook removed',
  'webhook.test': 'Webhook tested',
  'quota-store.create': 'Store added',
  'quota-store.delete': 'Store removed',
  'quota.create': 'Quota defined',
  'quota.change': 'Quota changed',
  'quota.delete': 'Quota removed',
  'quota.reset': 'Subject reset',
  'quota-audit.start': 'Audit started',
  'quota-audit.stop': 'Audit stopped',
  'quota-audit.repair': 'Repair started',
};

/** An action in words. */
export function actionWords(action: string): string {
  return ACTIONS[action] ?? action;
}

/** Kinds of actions that the audit log can be narrowed to: the part before the dot. */
export const ACTION_KINDS: readonly { value: string; label: string }[] = [
  { value: '', label: 'Everything' },
  { value: 'login', label: 'Logins' },
  { value: 'account', label: 'Accounts' },
  { value: 'settings', label: 'Settings' },
  { value: 'endpoint', label: 'Endpoints' },
  { value: 'agent', label: 'Agents' },
  { value: 'console', label: 'Consoles' },
  { value: 'job', label: 'Copy jobs' },
  { value: 'alarm', label: 'Alarms' },
  { value: 'webhook', label: 'Webhooks' },
  { value: 'quota', label: 'Quotas' },
  { value: 'quota-store', label: 'Stores' },
  { value: 'quota-audit', label: 'Audits and repairs' },
];

/** Names of everything the pages keep from the console; the one place where keys are made. */
export const queryKeys = {
  info: ['info'],
  session: ['session'],
  monitor: ['monitor'],
  // Below `monitor`, so that changed settings refresh them too. No range or filter has these names.
  monitorRows: (name: string): readonly string[] => ['monitor', ':rows', name],
  monitorHistory: (range: string): readonly string[] => ['monitor', ':history', range],
  settings: ['settings'],
  agents: ['agents'],
  enrolment: ['enrolment'],
  endpoints: ['endpoints'],
  jobs: ['jobs'],
  // No job has an id with a colon. Below `jobs`, so that a new job refreshes it too.
  anyJob: ['jobs', ':any'],
  job: (jobId: string): readonly string[] => ['jobs', jobId],
  jobFailures: (jobId: string): readonly string[] => ['jobs', jobId, 'failures'],
  alarms: ['alarms'],
  alarmRules: ['alarm-rules'],
  webhooks: ['webhooks'],
  deliveries: ['webhooks', ':deliveries'],
  accounts: ['accounts'],
  auditLog: ['audit-log'],
  quotas: ['quotas'],
  quotaUsage: (definitionId: string): readonly string[] => ['quotas', definitionId],
  quotaStores: ['quota-stores'],
  quotaAudits: ['quota-audits'],
  quotaAudit: (auditId: string): readonly string[] => ['quota-audits', auditId],
} as const;

import { lazy, type ComponentType } from 'react';
import type { QuotasPart } from './pages/quotas/quotas-page.tsx';
import type { SettingsSection } from './pages/settings/settings-page.tsx';

/** Code of the pages, each in a file of its own, read when it is first shown or when the browser is idle. */
const files = {
  monitor: () => import('./pages/monitor/monitor-page.tsx'),
  jobs: () => import('./pages/jobs/jobs-page.tsx'),
  job: () => import('./pages/jobs/job-page.tsx'),
  newJob: () => import('./pages/jobs/new-job-page.tsx'),
  agents: () => import('./pages/agents/agents-page.tsx'),
  alarms: () => import('./pages/alarms/alarms-page.tsx'),
  settings: () => import('./pages/settings/settings-page.tsx'),
  quotas: () => import('./pages/quotas/quotas-page.tsx'),
  quota: () => import('./pages/quotas/quota-page.tsx'),
  quotaAudit: () => import('./pages/quotas/audit-page.tsx'),
} as const;

type Page<Props = unknown> = ComponentType<Props>;

export const MonitorPage: Page = lazy(async () => ({ default: (await files.monitor()).MonitorPage }));
export const JobsPage: Page = lazy(async () => ({ default: (await files.jobs()).JobsPage }));
export const JobPage: Page<{ jobId: string }> = lazy(async () => ({ default: (await files.job()).JobPage }));
export const NewJobPage: Page = lazy(async () => ({ default: (await files.newJob()).NewJobPage }));
export const AgentsPage: Page = lazy(async () => ({ default: (await files.agents()).AgentsPage }));
export const AlarmsPage: Page = lazy(async () => ({ default: (await files.alarms()).AlarmsPage }));
export const SettingsPage: Page<{ section: SettingsSection }> = lazy(async () => ({
  default: (await files.settings()).SettingsPage,
}));

export const QuotasPage: Page<{ part: QuotasPart }> = lazy(async () => ({
  default: (await files.quotas()).QuotasPage,
}));
export const QuotaPage: Page<{ definitionId: string }> = lazy(async () => ({
  default: (await files.quota()).QuotaPage,
}));
export const AuditPage: Page<{ auditId: string }> = lazy(async () => ({
  default: (await files.quotaAudit()).AuditPage,
}));

/** Reads all pages ahead, so that the first visit of each shows no placeholder. Failures are met when a page is shown. */
export async function readPagesAhead(): Promise<void> {
  await Promise.allSettled(Object.values(files).map((file) => file()));
}

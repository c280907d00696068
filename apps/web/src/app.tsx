import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { Suspense, type ReactElement } from 'react';
import { Redirect, Route, Router, Switch, useLocation } from 'wouter';
import { queryClient } from './data/console.ts';
import { useSession } from './data/session.ts';
import { useGovernorSettings } from './data/settings.ts';
import { Skeleton } from './components/skeleton.tsx';
import { Toasts } from './components/toasts.tsx';
import { LoginPage } from './pages/login/login-page.tsx';
import { NotFoundPage } from './pages/not-found-page.tsx';
import {
  AgentsPage,
  AlarmsPage,
  AuditPage,
  JobPage,
  JobsPage,
  MonitorPage,
  NewJobPage,
  QuotaPage,
  QuotasPage,
  SettingsPage,
} from './pages.ts';
import { FaultBoundary } from './shell/fault-boundary.tsx';
import { LeaveDialog } from './shell/leave-dialog.tsx';
import { guardNavigation } from './shell/leave-guard.ts';
import { Shell } from './shell/shell.tsx';
import { SilentConsole } from './shell/silent-console.tsx';

/** All pages. Base UI makes no style elements: the content security policy allows none. */
export function App(): ReactElement {
  return (
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <Router aroundNav={(navigate, to, options) => guardNavigation(to, () => navigate(to, options))}>
          <Toasts>
            <FaultBoundary place="">
              <Gate />
            </FaultBoundary>
            <LeaveDialog />
          </Toasts>
        </Router>
      </QueryClientProvider>
    </CSPProvider>
  );
}

/** Nobody sees a page without a session. */
function Gate(): ReactElement {
  const session = useSession();
  const [place] = useLocation();
  if (session.data === undefined) return <SilentConsole session={session} />;
  if (session.data === null) return <LoginPage />;
  return (
    <Shell session={session.data}>
      <FaultBoundary place={place}>
        <Suspense fallback={<Skeleton height={480} />}>
          <Pages />
        </Suspense>
      </FaultBoundary>
    </Shell>
  );
}

function Pages(): ReactElement {
  return (
    <Switch>
      <Route path="/">
        <Home />
      </Route>
      <Route path="/monitor">
        <MonitorPage />
      </Route>
      <Route path="/jobs">
        <JobsPage />
      </Route>
      <Route path="/jobs/new">
        <NewJobPage />
      </Route>
      <Route path="/jobs/:jobId">{({ jobId }) => <JobPage key={jobId} jobId={jobId} />}</Route>
      <Route path="/agents">
        <AgentsPage />
      </Route>
      <Route path="/alarms">
        <AlarmsPage />
      </Route>
      <Route path="/quotas">
        <QuotasPage part="definitions" />
      </Route>
      <Route path="/quotas/stores">
        <QuotasPage part="stores" />
      </Route>
      <Route path="/quotas/audits">
        <QuotasPage part="audits" />
      </Route>
      <Route path="/quotas/definitions/:definitionId">
        {({ definitionId }) => <QuotaPage key={definitionId} definitionId={definitionId} />}
      </Route>
      <Route path="/quotas/audits/:auditId">{({ auditId }) => <AuditPage key={auditId} auditId={auditId} />}</Route>
      <Route path="/settings">
        <Redirect to="/settings/tps-rate-limiting" replace />
      </Route>
      <Route path="/settings/tps-rate-limiting">
        <SettingsPage section="tps-rate-limiting" />
      </Route>
      <Route path="/settings/endpoints">
        <SettingsPage section="endpoints" />
      </Route>
      <Route path="/settings/consoles">
        <SettingsPage section="consoles" />
      </Route>
      <Route path="/settings/accounts">
        <SettingsPage section="accounts" />
      </Route>
      <Route path="/settings/audit-log">
        <SettingsPage section="audit-log" />
      </Route>
      <Route path="/settings/password">
        <SettingsPage section="password" />
      </Route>
      <Route>
        <NotFoundPage />
      </Route>
    </Switch>
  );
}

/** The monitor, or the jobs where limiting is off. */
function Home(): ReactElement {
  const settings = useGovernorSettings();
  if (settings.data === undefined && !settings.isError) return <Skeleton height={480} />;
  return <Redirect to={settings.data?.settings.enabled === false ? '/jobs' : '/monitor'} replace />;
}

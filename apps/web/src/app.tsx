import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { queryClient } from './data/console.ts';
import { useSession } from './data/session.ts';
import { useGovernorSettings } from './data/settings.ts';
import { ErrorNotice } from './components/notice.tsx';
import { Skeleton } from './components/skeleton.tsx';
import { Toasts } from './components/toasts.tsx';
import { LoginPage } from './pages/login/login-page.tsx';
import { MonitorPage } from './pages/monitor/monitor-page.tsx';
import { NotFoundPage } from './pages/not-found-page.tsx';
import { Shell } from './shell/shell.tsx';
import styles from './app.module.css';

/** All pages. Base UI makes no style elements: the content security policy allows none. */
export function App(): ReactElement {
  return (
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <Toasts>
          <Gate />
        </Toasts>
      </QueryClientProvider>
    </CSPProvider>
  );
}

/** Nobody sees a page without a session. */
function Gate(): ReactElement {
  const session = useSession();
  if (session.data === undefined) {
    return <div className={styles.alone}>{session.isError ? <ErrorNotice error={session.error} /> : null}</div>;
  }
  if (session.data === null) return <LoginPage />;
  return (
    <Shell session={session.data}>
      <Switch>
        <Route path="/">
          <Home />
        </Route>
        <Route path="/monitor">
          <MonitorPage />
        </Route>
        <Route>
          <NotFoundPage />
        </Route>
      </Switch>
    </Shell>
  );
}

/** The monitor, or the jobs where limiting is off. */
function Home(): ReactElement {
  const settings = useGovernorSettings();
  if (settings.data === undefined && !settings.isError) return <Skeleton height={400} />;
  return <Redirect to={settings.data?.settings.enabled === false ? '/jobs' : '/monitor'} replace />;
}

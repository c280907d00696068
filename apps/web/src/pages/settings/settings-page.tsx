import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { PageHeader } from '../../components/page-header.tsx';
import { EndpointsSection } from './endpoints-section.tsx';
import { RateLimitingSection } from './rate-limiting-section.tsx';
import styles from './settings-page.module.css';

const SECTIONS = [
  { href: '/settings/tps-rate-limiting', label: 'TPS Rate Limiting' },
  { href: '/settings/endpoints', label: 'Endpoints' },
] as const;

/** Setup & Settings, one section at a time. */
export function SettingsPage({ section }: { section: 'tps-rate-limiting' | 'endpoints' }): ReactElement {
  return (
    <>
      <PageHeader title="Setup & Settings" />
      <nav aria-label="Settings" className={styles.tabs}>
        {SECTIONS.map(({ href, label }) => (
          <Link
            key={href}
            href={href}
            className={styles.tab}
            aria-current={href.endsWith(`/${section}`) ? 'page' : undefined}
          >
            {label}
          </Link>
        ))}
      </nav>
      {section === 'endpoints' ? <EndpointsSection /> : <RateLimitingSection />}
    </>
  );
}

import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { useMay } from '../../data/session.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { AccountsSection } from '../accounts/accounts-section.tsx';
import { OwnPasswordSection } from '../accounts/own-password-section.tsx';
import { AuditLogSection } from '../audit-log/audit-log-section.tsx';
import { ConsolesSection } from '../consoles/consoles-section.tsx';
import { EndpointsSection } from './endpoints-section.tsx';
import { RateLimitingSection } from './rate-limiting-section.tsx';
import styles from './settings-page.module.css';

export type SettingsSection = 'tps-rate-limiting' | 'endpoints' | 'consoles' | 'accounts' | 'audit-log' | 'password';

interface Entry {
  key: SettingsSection;
  label: string;
  Section: () => ReactElement;
  /** For administrators only. */
  admin: boolean;
}

/** Sections in the order of their tabs. */
const SECTIONS: readonly Entry[] = [
  { key: 'tps-rate-limiting', label: 'TPS Rate Limiting', Section: RateLimitingSection, admin: false },
  { key: 'endpoints', label: 'Endpoints', Section: EndpointsSection, admin: false },
  { key: 'consoles', label: 'Consoles', Section: ConsolesSection, admin: false },
  { key: 'accounts', label: 'Accounts', Section: AccountsSection, admin: true },
  { key: 'audit-log', label: 'Audit log', Section: AuditLogSection, admin: true },
  { key: 'password', label: 'My password', Section: OwnPasswordSection, admin: false },
];

/** Setup & Settings, one section at a time. Those for administrators have no tab for others. */
export function SettingsPage({ section }: { section: SettingsSection }): ReactElement {
  const may = useMay('admin');
  const shown = SECTIONS.find(({ key }) => key === section);
  const Section = shown?.Section ?? RateLimitingSection;
  return (
    <>
      <PageHeader title="Setup & Settings" part={shown?.label} />
      <nav aria-label="Settings" className={styles.tabs}>
        {SECTIONS.filter(({ admin, key }) => may || !admin || key === section).map(({ key, label }) => (
          <Link
            key={key}
            href={`/settings/${key}`}
            className={styles.tab}
            aria-current={key === section ? 'page' : undefined}
          >
            {label}
          </Link>
        ))}
      </nav>
      <Section />
    </>
  );
}

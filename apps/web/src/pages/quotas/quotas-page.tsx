import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { PageHeader } from '../../components/page-header.tsx';
import tabs from '../settings/settings-page.module.css';
import { AuditsSection } from './audits-section.tsx';
import { QuotasSection } from './quotas-section.tsx';
import { StoresSection } from './stores-section.tsx';

export type QuotasPart = 'definitions' | 'stores' | 'audits';

const PARTS: readonly { key: QuotasPart; href: string; label: string; Section: () => ReactElement }[] = [
  { key: 'definitions', href: '/quotas', label: 'Definitions', Section: QuotasSection },
  { key: 'stores', href: '/quotas/stores', label: 'Stores & deadlines', Section: StoresSection },
  { key: 'audits', href: '/quotas/audits', label: 'Audits', Section: AuditsSection },
];

/** Quotas: definitions, the stores that count them, and audits of what stands there. */
export function QuotasPage({ part }: { part: QuotasPart }): ReactElement {
  const shown = PARTS.find(({ key }) => key === part);
  const Section = shown?.Section ?? QuotasSection;
  return (
    <>
      <PageHeader
        title="Quotas"
        part={shown?.label}
        description="This subject may do this much in this period, counted exactly."
      />
      <nav aria-label="Quotas" className={tabs.tabs}>
        {PARTS.map(({ key, href, label }) => (
          <Link key={key} href={href} className={tabs.tab} aria-current={key === part ? 'page' : undefined}>
            {label}
          </Link>
        ))}
      </nav>
      <Section />
    </>
  );
}

import type { ReactElement } from 'react';
import { Link, useLocation } from 'wouter';
import { useAlarms } from '../data/alarms.ts';
import { useGovernorSettings } from '../data/settings.ts';
import { Icon, type IconName } from '../components/icon.tsx';
import styles from './navigation.module.css';

interface Entry {
  href: string;
  label: string;
  icon: IconName;
}

const MONITOR: Entry = { href: '/monitor', label: 'TPS Monitor', icon: 'monitor' };
const ENTRIES: readonly Entry[] = [
  { href: '/jobs', label: 'Copy Jobs', icon: 'jobs' },
  { href: '/agents', label: 'Agents', icon: 'agents' },
  { href: '/alarms', label: 'Alarms', icon: 'alarms' },
  { href: '/quotas', label: 'Quotas', icon: 'quotas' },
  { href: '/settings', label: 'Setup & Settings', icon: 'settings' },
];

/** Links to the pages; the monitor is listed only while limiting is on. */
export function Navigation({ onNavigate }: { onNavigate?: () => void }): ReactElement {
  const [path] = useLocation();
  const limiting = useGovernorSettings().data?.settings.enabled;
  const activeAlarms = useAlarms().data?.filter((alarm) => alarm.endedAtMs === null).length ?? 0;
  const entries = limiting === false ? ENTRIES : [MONITOR, ...ENTRIES];
  return (
    <nav aria-label="Main">
      <ul className={styles.list}>
        {entries.map(({ href, label, icon }) => (
          <li key={href}>
            <Link
              href={href}
              className={styles.link}
              aria-current={path === href || path.startsWith(`${href}/`) ? 'page' : undefined}
              onClick={() => onNavigate?.()}
            >
              <Icon name={icon} />
              <span>{label}</span>
              {href === '/alarms' && activeAlarms > 0 && (
                <span className={styles.count}>
                  {activeAlarms}
                  <span className="visually-hidden"> active</span>
                </span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

import type { ReactElement } from 'react';
import type { MonitorEvent } from '@weir/protocol';
import { cx } from '../components/class-names.ts';
import { Icon, type IconName } from '../components/icon.tsx';
import styles from './event-badge.module.css';

const LOOKS: Readonly<Record<MonitorEvent['kind'], { icon: IconName; tone: 'red' | 'amber' | 'green' | 'gray' }>> = {
  'limit-changed': { icon: 'settings', tone: 'red' },
  'limiter-switched': { icon: 'settings', tone: 'red' },
  'alarm-raised': { icon: 'alarms', tone: 'amber' },
  'alarm-ended': { icon: 'check', tone: 'green' },
  holdoff: { icon: 'pause', tone: 'amber' },
  'agents-joined': { icon: 'plus', tone: 'green' },
  'agents-left': { icon: 'offline', tone: 'gray' },
  'console-started': { icon: 'refresh', tone: 'gray' },
};

/** The sign of a kind of event. A decoration: the words stand beside it. */
export function EventBadge({ kind }: { kind: MonitorEvent['kind'] }): ReactElement {
  const { icon, tone } = LOOKS[kind];
  return (
    <span className={cx(styles.badge, styles[tone])} aria-hidden="true">
      <Icon name={icon} size={12} />
    </span>
  );
}

import type { ReactElement } from 'react';

/** Outlines in a box of 20 × 20, drawn with the colour of the text around them. */
const PATHS = {
  monitor: 'M2.5 10h3.2l2.1-5.2 4 10.4 2.3-5.2h3.4',
  jobs: 'M3.5 6.500h9.500m0 0-2.7-2.700M13 6.500l-2.7 2.700M16.5 13.500H7m0 0 2.7-2.700M7 13.500l2.7 2.7',
  agents: 'M3.5 4h13v4.500h-13zM3.5 11.500h13V16h-13zM6.2 6.250h.01M6.2 13.750h.01M9 6.250h4.800M9 13.750h4.8',
  alarms:
    'M10 3a4.6 4.6 0 0 0-4.6 4.600c0 4.3-1.6 5.6-1.6 5.600h12.400s-1.6-1.3-1.6-5.600A4.6 4.6 0 0 0 10 3Zm-1.7 12.900a2 2 0 0 0 3.4 0',
  quotas: 'M3 15.500h14M5 15.500V11m4 4.500V5m4 10.500V8.500m4 7V6.500',
  settings: 'M3 6h7.500m4 0H17M3 14h2.500m4 0H17M12.5 4v4M7.5 12v4',
  menu: 'M3 5.500h14M3 10h14M3 14.500h14',
  close: 'm5 5 10 10M15 5 5 15',
  refresh: 'M16.2 8.300A6.5 6.5 0 1 0 16.5 11M16.5 4.500v4h-4',
  warning: 'M10 3.2 2.6 16h14.800L10 3.200Zm0 4.800v3.600m0 2.200v.01',
  info: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14Zm0-7.500v4m0-6.700v.01',
  check: 'm4.5 10.5 3.7 3.7 7.3-8',
  copy: 'M7 7V3.500h9.500V13H13M3.5 7H13v9.500H3.500z',
  plus: 'M10 4v12M4 10h12',
  arrowRight: 'M4 10h12m0 0-4.5-4.500M16 10l-4.5 4.5',
  chevronDown: 'm5.5 8 4.5 4.500L14.5 8',
  chevronLeft: 'M12 5.5 7.5 10l4.5 4.5',
  pause: 'M7 5v10M13 5v10',
  play: 'M6.5 4.500v11l9-5.500z',
  stop: 'M5.5 5.500h9v9h-9z',
  user: 'M10 10a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.400Zm-6 6.500c.7-2.9 3-4.3 6-4.300s5.3 1.4 6 4.3',
  search: 'M9 14.500a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11Zm4-1.5 3.5 3.5',
  offline: 'M3 8.500a10 10 0 0 1 14 0M5.7 11.300a6 6 0 0 1 8.6 0M10 15.200v.01M3.5 3.500l13 13',
  trash: 'M4 6h12M8 6V4h4v2m-6.5 0 .7 10h7.600l.7-10',
  clock: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14Zm0-11v4.200l2.7 1.6',
  database:
    'M10 8c3.6 0 6-1 6-2.300S13.6 3.4 10 3.400s-6 1-6 2.300S6.4 8 10 8ZM4 5.700v8.600c0 1.3 2.4 2.3 6 2.300s6-1 6-2.300V5.700M4 10c0 1.3 2.4 2.3 6 2.300s6-1 6-2.3',
} as const;

export type IconName = keyof typeof PATHS;

/** A decoration: what it means is said by the text beside it or the name of its button. */
export function Icon({ name, size = 18 }: { name: IconName; size?: number }): ReactElement {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

import type { ChangedValue, FieldChange } from '@weir/protocol';
import { formatPlural } from '../format/numbers.ts';
import { OUTAGE_WORDS } from './quota-words.ts';

/** A change of a field as a line: `Global Limit: 10,000 → 8,000 TPS`. */
export interface ChangeWords {
  label: string;
  before: string;
  after: string;
}

interface FieldWords {
  label: string;
  unit?: string;
  /** Words of values that mean something only with them. */
  values?: Readonly<Record<string, string>>;
}

const COUNTED = { true: 'counted', false: 'not counted' };
const MODE = { off: 'off', paced: 'on', park: 'off', 'safe-rate': 'on', 'lower-limit': 'on' };

/** Fields as the forms call them; one that this page does not know is shown by its path. */
const FIELDS: Readonly<Record<string, FieldWords>> = {
  enabled: { label: 'TPS rate limiting' },
  globalLimitTps: { label: 'Global Limit', unit: 'TPS' },
  'transactionTypes.LIST': { label: 'LIST', values: COUNTED },
  'transactionTypes.GET': { label: 'GET', values: COUNTED },
  'transactionTypes.PUT': { label: 'PUT', values: COUNTED },
  'transactionTypes.DELETE': { label: 'DELETE', values: COUNTED },
  alarmThresholdPercent: { label: 'Alarm Threshold', unit: '%' },
  allocationPolicy: { label: 'Allocation policy', values: { reclaim: 'Reclaim', 'max-min': 'Max-min' } },
  costModel: { label: 'Cost model', values: { 'per-object': 'Per object', 'per-request': 'Per request' } },
  'pacing.mode': { label: 'Pace credits inside the window', values: MODE },
  'pacing.burstSeconds': { label: 'Burst after a lull', unit: 's' },
  overshootGuard: { label: 'Overshoot guard' },
  'consoleLost.mode': { label: 'Go on at a safe rate while no console answers', values: MODE },
  'consoleLost.safeTps': { label: 'Safe rate of each agent', unit: 'TPS' },
  'slowDownReaction.mode': { label: 'Lower the limit after 503 SlowDown', values: MODE },
  'slowDownReaction.floorTps': { label: 'Never below', unit: 'TPS' },
  'limitSchedule.timeZone': { label: 'Time zone of the hours' },
  quota: { label: 'Name' },
  storeId: { label: 'Store' },
  limit: { label: 'Limit for each subject' },
  period: { label: 'Period' },
  zone: { label: 'Time zone' },
  outage: {
    label: 'While the store does not answer',
    values: Object.fromEntries(Object.entries(OUTAGE_WORDS).map(([policy, { label }]) => [policy, label])),
  },
  shadow: { label: 'Shadow' },
  subjects: { label: 'Subjects', values: { text: 'any text', address: 'network addresses' } },
  role: { label: 'Role' },
};

const RULE = /^limitSchedule\.rules\.(\d+)$/;
const SHARE = /^jobShares\.(.+)$/;
const DAY = /\b(mon|tue|wed|thu|fri|sat|sun)\b/g;

const decimals = new Intl.NumberFormat('en-US', { maximumFractionDigits: 6 });

/** A change in the words of the forms. */
export function changeWords({ field, before, after }: FieldChange): ChangeWords {
  const words = FIELDS[field] ?? { label: labelOf(field) };
  return { label: words.label, before: valueWords(words, before), after: valueWords(words, after) };
}

function labelOf(field: string): string {
  const rule = RULE.exec(field)?.[1];
  if (rule !== undefined) return `Hours, rule ${Number(rule) + 1}`;
  const job = SHARE.exec(field)?.[1];
  return job === undefined ? field : `Share of ${job}`;
}

function valueWords({ unit, values }: FieldWords, value: ChangedValue): string {
  if (value === null) return 'none';
  const named = values?.[String(value)];
  if (named !== undefined) return named;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'string')
    return plural(value).replaceAll(DAY, (day) => day.charAt(0).toUpperCase() + day.slice(1));
  const text = decimals.format(value);
  return unit === undefined ? text : unit === '%' ? `${text}%` : `${text} ${unit}`;
}

/** `2 hour` → `2 hours`; other texts stay as they are. */
function plural(text: string): string {
  const [, count, unit] = /^(\d+) (second|minute|hour|day|week|month)$/.exec(text) ?? [];
  return count === undefined || unit === undefined ? text : formatPlural(Number(count), unit);
}

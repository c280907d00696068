import type { QuotaInput } from '@weir/protocol';
import type { StoredQuotaStore } from '../ports/quota-catalog.ts';

/** Id of the store that is always there: this process. */
export const MEMORY_STORE_ID = 'memory';

/** The console's own memory: for trying quotas out, and for what the console limits itself with. */
export const MEMORY_STORE: StoredQuotaStore = {
  storeId: MEMORY_STORE_ID,
  name: 'Memory of this console',
  kind: 'memory',
  address: 'memory',
  username: null,
  sealedPassword: null,
  createdAtMs: 0,
  createdBy: 'console',
};

/** What the console limits itself with; each is counted per minute in its memory. */
export const OWN_QUOTAS: Readonly<Record<OwnQuota, { limit: number; subjects: QuotaInput['subjects'] }>> = {
  /** Attempts of one address as one user: enough for a slip, far too few for guessing. */
  'login-user': { limit: 5, subjects: 'text' },
  /** Attempts of one address, whatever the user: the bound for trying one password on many names. */
  'login-address': { limit: 30, subjects: 'address' },
  /** Calls of pages and programs from one address: a hundred a second is far more than a busy page makes. */
  'api-address': { limit: 6_000, subjects: 'address' },
  /** Files of the API's description for one address: its page needs ten, and the longest has 2 MB. */
  'api-description': { limit: 120, subjects: 'address' },
  /** Calls of one agent: it reports on each range that it holds, and drains long lists of failures without a pause. */
  'agent-calls': { limit: 6_000, subjects: 'text' },
  /** Enrolments from one address: a large fleet behind one gateway is known within minutes. */
  'agent-enrolments': { limit: 600, subjects: 'address' },
  /** Calls with a wrong token or credential from one address: a revoked agent makes one and stops. */
  'wrong-bearers': { limit: 300, subjects: 'address' },
};

export type OwnQuota =
  | 'login-user'
  | 'login-address'
  | 'api-address'
  | 'api-description'
  | 'agent-calls'
  | 'agent-enrolments'
  | 'wrong-bearers';

/** Names of the console's own quotas. */
export const OWN_QUOTA_IDS: readonly OwnQuota[] = [
  'login-user',
  'login-address',
  'api-address',
  'api-description',
  'agent-calls',
  'agent-enrolments',
  'wrong-bearers',
];

/** One of the console's own quotas as pages see it. */
export function ownQuotaInput(quota: OwnQuota): QuotaInput {
  const { limit, subjects } = OWN_QUOTAS[quota];
  return {
    storeId: MEMORY_STORE_ID,
    quota,
    limit,
    period: { unit: 'minute', count: 1 },
    zone: 'UTC',
    outage: 'closed',
    shadow: false,
    subjects,
  };
}

/** Whether an id names one of the console's own quotas. */
export function isOwnQuota(definitionId: string): definitionId is OwnQuota {
  return Object.hasOwn(OWN_QUOTAS, definitionId);
}

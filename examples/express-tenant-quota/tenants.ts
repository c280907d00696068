/** Who uses the API, and on which plan. In a real service this is a table. */
export interface Tenant {
  readonly id: string;
  readonly plan: Plan;
}

export type Plan = 'free' | 'pro';

/** Units a day. A document costs 1, a report 10. */
const DAILY_UNITS: Readonly<Record<Plan, number>> = { free: 100, pro: 10_000 };

const TENANTS = new Map<string, Tenant>([
  ['key-acme', { id: 'acme', plan: 'free' }],
  ['key-globex', { id: 'globex', plan: 'free' }],
  ['key-initech', { id: 'initech', plan: 'pro' }],
]);

/** The tenant that a credential belongs to. */
export function tenantOfKey(key: string | undefined): Tenant | undefined {
  return TENANTS.get(key ?? '');
}

/** What a tenant may use in a day; 0 for a tenant that does not exist. */
export function dailyUnitsOf(id: string): number {
  const tenant = [...TENANTS.values()].find((known) => known.id === id);
  return tenant === undefined ? 0 : DAILY_UNITS[tenant.plan];
}

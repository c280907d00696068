/** The verbs of `weir quota`. */
export type QuotaVerb = 'take' | 'peek' | 'reset' | 'list';

/** A length of a period as it is written. */
export interface PeriodFlag {
  unit: 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month';
  count: number;
}

/** Flags that define a quota and name a subject. */
export interface QuotaFlags {
  quota: string;
  subject: string;
  limit: number;
  per: PeriodFlag;
  zone?: string;
  cost: number;
  key?: string;
  json: boolean;
}

/** Flags of `weir quota list`. */
export interface QuotaListFlags {
  quota?: string;
  subject?: string;
  top: number;
  json: boolean;
}

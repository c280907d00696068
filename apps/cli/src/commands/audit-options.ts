/** Flags of `weir audit` as commander hands them over. */
export interface AuditFlags {
  match?: string;
  counters: string[];
  zone?: string;
  maxLifetime?: number;
  lifetime?: number;
  replica?: string;
  rate?: number;
  fix?: 'date' | 'delete';
  yes: boolean;
  journal?: string;
  fresh: boolean;
  json: boolean;
}

/** A limiter on a connection of its own. */
export interface Limiter {
  /** @returns whether it was admitted. */
  readonly take: (subject: string) => Promise<boolean>;
  readonly close: () => Promise<void>;
}

/** What every limiter is told. */
export interface Rule {
  readonly limit: number;
  readonly periodSeconds: number;
  /** Part of every key that this limiter writes, and of no other. */
  readonly mark: string;
}

export type OpenLimiter = (url: string, rule: Rule) => Promise<Limiter>;

import type { WarningCode } from './own-codes.ts';

export type { WarningCode };

/** Said once per run and code. */
export interface CopyWarning {
  code: WarningCode;
  /** The first object that it happened to. */
  key: string;
  message: string;
}

/** Objects that each warning was true for; absent: none. */
export type WarningCounts = Partial<Record<WarningCode, number>>;

/**
 * What a run has found out about its two endpoints, so that one refusal is enough: which headers the target takes, which
 * requests they know. Most begin as true.
 */
export class Learned {
  /** The target takes tags. */
  tags = true;
  /** The target takes the source's storage classes. */
  storageClasses = true;
  /** The source tells the parts of its objects. */
  partNumbers = true;
  /** The endpoint copies within itself. */
  serverSideCopy = true;
  /** The endpoint understands conditions on the source of a copy within it. Swift takes its own objects in parts for changed. */
  copyConditions = true;
  /** The target gives metadata beyond ASCII back as it got it; null: not known yet. */
  rawMetadata: boolean | null = null;
  readonly #onWarning: (warning: CopyWarning) => void;
  readonly #counts: WarningCounts = {};

  constructor(onWarning: (warning: CopyWarning) => void = () => undefined) {
    this.#onWarning = onWarning;
  }

  warn(warning: CopyWarning): void {
    const before = this.#counts[warning.code] ?? 0;
    this.#counts[warning.code] = before + 1;
    if (before === 0) this.#onWarning(warning);
  }

  counts(): WarningCounts {
    return { ...this.#counts };
  }
}

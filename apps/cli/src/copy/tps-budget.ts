import { chargeFor, CreditWindow, type CostModel, type S3Operation, type TransactionType } from '@weir/governor';

/** Time of a budget: a monotonic clock in ms, and timers. */
export interface BudgetTime {
  now(): number;
  /** Calls back once after `ms`; returns how to cancel that. */
  startTimer(callback: () => void, ms: number): () => void;
}

/** What a budget was spent on. */
export interface BudgetUse {
  /** Charged since the start, by the cost model of the budget. */
  readonly chargedOps: number;
  /** Operations that wait for credits now. */
  readonly parkedOps: number;
}

/** Of requests all are charged, so that a limit is what the servers see. */
const CHARGED: Readonly<Record<CostModel, ReadonlySet<TransactionType>>> = {
  'per-object': new Set<TransactionType>(['LIST', 'PUT']),
  'per-request': new Set<TransactionType>(['LIST', 'GET', 'PUT', 'DELETE']),
};

/**
 * A TPS limit for one process, without a console: credit windows as an agent has them, granted by a timer. Fractions of a
 * credit are kept from window to window, so that any limit is exact in the long run; time that was missed is not made up
 * for, so that no window holds more than its own.
 */
export class TpsBudget {
  readonly #window: CreditWindow;
  readonly #time: BudgetTime;
  readonly #limitTps: number | null;
  readonly #costs: CostModel;
  readonly #windowMs: number;
  #chargedOps = 0;
  #windowNumber = 0;
  #dueAtMs = 0;
  #fraction = 0;
  #cancelTimer: (() => void) | null = null;

  /**
   * @param limitTps operations per second, more than 0; null: no limit, charges are only counted
   * @param windowSeconds how long the credits of a grant are for: those of one window may be spent at once
   * @param costs what is charged; default `per-object`, the documented model
   */
  constructor(options: { limitTps: number | null; windowSeconds: number; costs?: CostModel; time: BudgetTime }) {
    this.#limitTps = options.limitTps;
    this.#costs = options.costs ?? 'per-object';
    this.#windowMs = options.windowSeconds * 1_000;
    this.#time = options.time;
    this.#window = new CreditWindow({ now: () => options.time.now() });
  }

  /** Grants the first window. Call `stop` in the end: the timer keeps a process alive. */
  start(): void {
    if (this.#limitTps === null) {
      this.#window.open();
      return;
    }
    this.#dueAtMs = this.#time.now();
    this.#grant(this.#limitTps);
  }

  stop(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
  }

  /** The gate of a copy: undefined when admitted at once, else the ms parked. */
  charge(operation: S3Operation, attempt: number, signal?: AbortSignal): undefined | Promise<number> {
    const charge = chargeFor(operation, attempt, CHARGED[this.#costs], this.#costs);
    if (charge === null) return undefined;
    const parked = this.#window.charge(charge.type, charge.cost, signal);
    if (parked === undefined) {
      this.#chargedOps += charge.cost;
      return undefined;
    }
    return parked.then((parkedMs) => {
      this.#chargedOps += charge.cost;
      return parkedMs;
    });
  }

  use(): BudgetUse {
    return { chargedOps: this.#chargedOps, parkedOps: this.#window.parkedOps };
  }

  #grant(limitTps: number): void {
    const exact = (limitTps * this.#windowMs) / 1_000 + this.#fraction;
    const creditBudget = Math.floor(exact);
    this.#fraction = exact - creditBudget;
    this.#windowNumber += 1;
    this.#window.endWindow();
    this.#window.grant({
      epoch: 'local',
      windowNumber: this.#windowNumber,
      windowSeconds: this.#windowMs / 1_000,
      allocatedTps: limitTps,
      creditBudget,
    });
    const now = this.#time.now();
    this.#dueAtMs = Math.max(this.#dueAtMs + this.#windowMs, now);
    this.#cancelTimer = this.#time.startTimer(() => this.#grant(limitTps), this.#dueAtMs - now);
  }
}

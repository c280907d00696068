/**
 * The agent's side of a credit window.
 *
 *            grant()                 endWindow()
 *   closed ──────────▶ enforced ──────────────────▶ closed (report frozen, the same one until the next grant)
 *     │ ▲                 │  ▲
 *     │ │ (start)         │  │ grant()
 *     └─┴──── open() ─────┴──┴──▶ open (limiter off: nothing is charged or parked; endWindow() leaves it open)
 *
 * closed:   every charge parks.
 * enforced: a charge is admitted while nothing is parked and its credits are there; else it parks behind the others.
 * open:     every charge is admitted and costs nothing.
 *
 * Invariants: nobody overtakes an older operation; charged ≤ granted + debt, where debt comes only from a charge that
 * no window could ever hold and is taken from the grants that follow; whenever the oldest parked operation could be
 * admitted, it has been (checked at each grant and after each abort: the only moments at which that can become true).
 */
import type { TransactionType } from './cost-model.ts';
import { ParkingQueue, type AbortSource } from './parking-queue.ts';

/** Credits for one window, as the coordinator grants them. */
export interface WindowGrant {
  /** One life of the coordinator; numbers begin anew with it. */
  epoch: string;
  /** Whole number ≥ 1 that grows with each grant to an agent in one epoch. */
  windowNumber: number;
  /** Seconds that the credits stand for. */
  windowSeconds: number;
  allocatedTps: number;
  /** Credits: `floor(allocatedTps × windowSeconds)`. */
  creditBudget: number;
}

/** What an agent did in one window. Durations in ms, rates in TPS. */
export interface WindowReport {
  epoch: string;
  windowNumber: number;
  /** From the grant to the end of the window. */
  windowMs: number;
  creditBudget: number;
  /** Credits taken; above `creditBudget` only by the debt of a charge larger than a window. */
  chargedOps: number;
  chargedByType: Record<TransactionType, number>;
  /** Time in which the oldest parked operation lacked credits. */
  exhaustedMs: number;
  /** `chargedOps ÷ active seconds` (D1). */
  actualTps: number;
  /** `chargedOps ÷ window seconds`. */
  meanTps: number;
  /** Most operations charged in one whole second, counted from the start of the window. */
  peakSecondTps: number;
  /** Operations parked when the window ended. */
  parkedOps: number;
}

/**
 * Shortest active time that a rate is computed over, in ms. A grant that wakes thousands of parked operations is spent
 * within microseconds; divided by those it would report millions of TPS, so the rate is taken over the first second.
 */
const SHORTEST_ACTIVE_MS = 1_000;

const NOT_EXHAUSTED = -1;

/** Credits of one agent: charges against the current grant, parks what exceeds it, reports each window. */
export class CreditWindow {
  readonly #now: () => number;
  readonly #queue: ParkingQueue = new ParkingQueue(() => this.#settle());
  #mode: 'closed' | 'enforced' | 'open' = 'closed';
  #grant: WindowGrant | null = null;
  #report: WindowReport | null = null;
  #remaining = 0;
  #debt = 0;
  #charged = 0;
  #chargedByType: Record<TransactionType, number> = { LIST: 0, GET: 0, PUT: 0, DELETE: 0 };
  #startedAtMs = 0;
  #exhaustedSinceMs: number = NOT_EXHAUSTED;
  #exhaustedMs = 0;
  #secondEndsAtMs = 0;
  #secondOps = 0;
  #peakSecondOps = 0;

  /** @param options.now monotonic clock in ms. */
  constructor(options: { now: () => number }) {
    this.#now = options.now;
  }

  /** Operations that wait for credits. */
  get parkedOps(): number {
    return this.#queue.size;
  }

  /** Credits left in the window; 0 when none is open. */
  get remainingCredits(): number {
    return this.#remaining;
  }

  /** Credits that following grants still owe for a charge that was larger than a window. */
  get debtCredits(): number {
    return this.#debt;
  }

  get mode(): 'closed' | 'enforced' | 'open' {
    return this.#mode;
  }

  /**
   * Takes credits before an operation is dispatched.
   *
   * @param cost whole credits ≥ 1.
   * @param signal takes a parked operation out of the queue.
   * @returns undefined when admitted at once, else a promise of the ms that the operation was parked. The promise
   *   rejects only with the signal's reason.
   * @throws RangeError for a cost that is not a whole number ≥ 1.
   */
  charge(type: TransactionType, cost: number, signal?: AbortSource): undefined | Promise<number> {
    // `#remaining` is 0 unless a window is open, so this line alone decides the common case.
    if (cost <= this.#remaining && this.#queue.size === 0 && cost >= 1) {
      this.#take(type, cost, this.#now());
      return undefined;
    }
    if (this.#mode === 'open') return undefined;
    return this.#chargeOrPark(type, cost, signal);
  }

  /**
   * Starts a window: replaces what was left of the last one and wakes parked operations in order.
   * A grant that this window has had already, or an older one of the same epoch, changes nothing: a repeated answer
   * must not hand out its credits twice.
   */
  grant(grant: WindowGrant): void {
    const last = this.#grant;
    if (last !== null && last.epoch === grant.epoch && grant.windowNumber <= last.windowNumber) return;
    const now = this.#now();
    this.#grant = { ...grant };
    this.#report = null;
    this.#mode = 'enforced';
    const repaid = Math.min(this.#debt, grant.creditBudget);
    this.#debt -= repaid;
    this.#remaining = grant.creditBudget - repaid;
    this.#charged = 0;
    this.#chargedByType = { LIST: 0, GET: 0, PUT: 0, DELETE: 0 };
    this.#startedAtMs = now;
    this.#exhaustedSinceMs = NOT_EXHAUSTED;
    this.#exhaustedMs = 0;
    this.#secondEndsAtMs = now + 1_000;
    this.#secondOps = 0;
    this.#peakSecondOps = 0;
    this.#settle();
  }

  /** Limiter off: admits everything parked, in order, and charges nothing until the next grant. */
  open(): void {
    this.#mode = 'open';
    this.#remaining = 0;
    this.#report = null;
    const now = this.#now();
    for (let parked = this.#queue.shift(); parked !== null; parked = this.#queue.shift()) {
      parked.admit(now - parked.parkedAtMs);
    }
  }

  /**
   * Ends the window: what is left of its credits is void and charges park until the next grant, so that no charge falls
   * between two reports.
   *
   * @returns the report of the window, the same one again until the next grant; null before the first grant and while
   *   the limiter is off.
   */
  endWindow(): WindowReport | null {
    if (this.#mode === 'enforced' && this.#grant !== null) {
      this.#report = this.#closeWindow(this.#grant, this.#now());
      this.#mode = 'closed';
      this.#remaining = 0;
    }
    return this.#report;
  }

  #closeWindow(grant: WindowGrant, now: number): WindowReport {
    this.#noteExhaustion(false, now);
    const windowMs = Math.max(0, now - this.#startedAtMs);
    const exhaustedMs = Math.min(this.#exhaustedMs, windowMs);
    const shortest = windowMs === 0 ? SHORTEST_ACTIVE_MS : Math.min(SHORTEST_ACTIVE_MS, windowMs);
    const activeMs = Math.max(windowMs - exhaustedMs, shortest);
    return {
      epoch: grant.epoch,
      windowNumber: grant.windowNumber,
      windowMs,
      creditBudget: grant.creditBudget,
      chargedOps: this.#charged,
      chargedByType: this.#chargedByType,
      exhaustedMs,
      actualTps: (this.#charged * 1_000) / activeMs,
      meanTps: (this.#charged * 1_000) / Math.max(windowMs, shortest),
      peakSecondTps: Math.max(this.#peakSecondOps, this.#secondOps),
      parkedOps: this.#queue.size,
    };
  }

  #chargeOrPark(type: TransactionType, cost: number, signal?: AbortSource): undefined | Promise<number> {
    if (!Number.isSafeInteger(cost) || cost < 1) {
      throw new RangeError(`a charge must be a whole number of at least 1 credit, not ${cost}`);
    }
    if (signal?.aborted === true) return rejectedWith(signal.reason);
    const now = this.#now();
    if (this.#queue.size === 0 && this.#admits(cost)) {
      this.#take(type, cost, now);
      return undefined;
    }
    this.#noteExhaustion(true, now);
    return new Promise((resolve, reject) => {
      this.#queue.push({
        type,
        cost,
        parkedAtMs: now,
        admit: resolve,
        abort: reject,
        signal,
        previous: null,
        next: null,
      });
    });
  }

  #admits(cost: number): boolean {
    if (cost <= this.#remaining) return true;
    // No window of this size could ever hold the charge: let it pass alone at the start of one, and owe the difference.
    return this.#charged === 0 && this.#remaining > 0 && this.#grant !== null && cost > this.#grant.creditBudget;
  }

  #take(type: TransactionType, cost: number, now: number): void {
    this.#remaining -= cost;
    if (this.#remaining < 0) {
      this.#debt -= this.#remaining;
      this.#remaining = 0;
    }
    this.#charged += cost;
    this.#chargedByType[type] += cost;
    if (now >= this.#secondEndsAtMs) this.#startSecond(now);
    this.#secondOps += cost;
  }

  #startSecond(now: number): void {
    this.#peakSecondOps = Math.max(this.#peakSecondOps, this.#secondOps);
    this.#secondOps = 0;
    this.#secondEndsAtMs += (Math.floor((now - this.#secondEndsAtMs) / 1_000) + 1) * 1_000;
  }

  /** Admits parked operations, oldest first, as far as the credits go. */
  #settle(): void {
    if (this.#mode !== 'enforced') return;
    const now = this.#now();
    for (let head = this.#queue.head; head !== null && this.#admits(head.cost); head = this.#queue.head) {
      this.#queue.shift();
      this.#take(head.type, head.cost, now);
      head.admit(now - head.parkedAtMs);
    }
    this.#noteExhaustion(this.#queue.size > 0, now);
  }

  /** Starts or stops the clock of the time in which something is parked inside an open window. */
  #noteExhaustion(exhausted: boolean, now: number): void {
    if (this.#mode !== 'enforced') return;
    if (exhausted) {
      if (this.#exhaustedSinceMs === NOT_EXHAUSTED) this.#exhaustedSinceMs = now;
    } else if (this.#exhaustedSinceMs !== NOT_EXHAUSTED) {
      this.#exhaustedMs += now - this.#exhaustedSinceMs;
      this.#exhaustedSinceMs = NOT_EXHAUSTED;
    }
  }
}

function rejectedWith(reason: unknown): Promise<never> {
  // An aborted operation fails with exactly what its owner passed to abort(), Error or not.
  return new Promise((_, reject: (reason: unknown) => void) => reject(reason));
}

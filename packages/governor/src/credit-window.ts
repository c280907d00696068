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
 *           Paced, credits are there slot by slot (`credit-release.ts`), and a timer looks again while something waits.
 * open:     every charge is admitted and costs nothing.
 *
 * Invariants: nobody overtakes an older operation; charged ≤ granted + debt, where debt comes only from a charge that
 * no window could ever hold and is taken from the grants that follow; whenever the oldest parked operation could be
 * admitted, it has been (checked at each grant, after each abort, and, paced, by the timer: the only moments at which
 * that can become true).
 */
import type { TransactionType } from './cost-model.ts';
import { CreditRelease } from './credit-release.ts';
import { ParkingQueue, type AbortSource } from './parking-queue.ts';
import { reportOf, type GrantTerms, type WindowGrant, type WindowReport } from './window-report.ts';

/** Runs something later and returns how to cancel it. */
export type WindowTimer = (run: () => void, delayMs: number) => () => void;

/** Longest slot of a paced window, in ms: operations are let go in groups, so that a high rate costs few timers. */
const LONGEST_SLOT_MS = 20;
/** Credits come in whole numbers, but time in fractions: what is missing by rounding is not missing. */
const ROUNDING = 1e-6;

/** What the oldest parked operation waits for. */
type Waiting = 'nothing' | 'credits' | 'slot';

/** Credits of one agent: charges against the current grant, parks what exceeds it, reports each window. */
export class CreditWindow {
  readonly #now: () => number;
  readonly #startTimer: WindowTimer | undefined;
  readonly #queue: ParkingQueue = new ParkingQueue(() => this.#settle());
  #mode: 'closed' | 'enforced' | 'open' = 'closed';
  #grant: WindowGrant | null = null;
  #report: WindowReport | null = null;
  /** Credits that may be spent without a look at the clock; all that are left, unless the window is paced. */
  #ready = 0;
  #release: CreditRelease | null = null;
  /** Where the release of the last paced window stood when it ended. */
  #paced: { ready: number; atMs: number } | null = null;
  #validUntilMs: number = Number.POSITIVE_INFINITY;
  #debt = 0;
  #charged = 0;
  #chargedByType: Record<TransactionType, number> = { LIST: 0, GET: 0, PUT: 0, DELETE: 0 };
  #startedAtMs = 0;
  #waiting: Waiting = 'nothing';
  #waitingSinceMs = 0;
  #exhaustedMs = 0;
  #pacedMs = 0;
  #secondEndsAtMs = 0;
  #secondOps = 0;
  #peakSecondOps = 0;
  #cancelTimer: (() => void) | null = null;

  /**
   * @param options.now monotonic clock in ms.
   * @param options.startTimer needed for paced windows only.
   */
  constructor(options: { now: () => number; startTimer?: WindowTimer }) {
    this.#now = options.now;
    this.#startTimer = options.startTimer;
  }

  /** Operations that wait for credits. */
  get parkedOps(): number {
    return this.#queue.size;
  }

  /** Credits left in the window; 0 when none is open. */
  get remainingCredits(): number {
    return this.#release === null ? this.#ready : Math.max(0, Math.round(this.#release.left));
  }

  /** Credits taken in the window that runs, or that ran last. */
  get chargedOps(): number {
    return this.#charged;
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
    // `#ready` is 0 unless a window is open and not paced, so this line alone decides the common case.
    if (cost <= this.#ready && this.#queue.size === 0 && cost >= 1) {
      const now = this.#now();
      if (now < this.#validUntilMs) {
        this.#ready -= cost;
        this.#count(type, cost, now);
        return undefined;
      }
    }
    if (this.#mode === 'open') return undefined;
    return this.#chargeOrPark(type, cost, signal);
  }

  /**
   * Starts a window: replaces what was left of the last one and wakes parked operations in order.
   * A grant that this window has had already, or an older one of the same epoch, changes nothing: a repeated answer
   * must not hand out its credits twice.
   * @throws Error for a paced window without a timer.
   */
  grant(grant: WindowGrant, { pacing, validUntilMs = Number.POSITIVE_INFINITY }: GrantTerms = {}): void {
    const last = this.#grant;
    if (last !== null && last.epoch === grant.epoch && grant.windowNumber <= last.windowNumber) return;
    if (pacing !== undefined && this.#startTimer === undefined) throw new Error('a paced window needs a timer');
    const now = this.#now();
    this.#leaveWindow(now);
    this.#grant = { ...grant };
    this.#report = null;
    this.#mode = 'enforced';
    this.#validUntilMs = validUntilMs;
    const repaid = Math.min(this.#debt, grant.creditBudget);
    this.#debt -= repaid;
    const credits = grant.creditBudget - repaid;
    if (pacing === undefined) this.#ready = credits;
    else this.#release = new CreditRelease(credits, grant.allocatedTps, pacing.burstSeconds, now, this.#paced);
    this.#charged = 0;
    this.#chargedByType = { LIST: 0, GET: 0, PUT: 0, DELETE: 0 };
    this.#startedAtMs = now;
    this.#waiting = 'nothing';
    this.#exhaustedMs = 0;
    this.#pacedMs = 0;
    this.#secondEndsAtMs = now + 1_000;
    this.#secondOps = 0;
    this.#peakSecondOps = 0;
    this.#settle();
  }

  /** Limiter off: admits everything parked, in order, and charges nothing until the next grant. */
  open(): void {
    const now = this.#now();
    this.#leaveWindow(now);
    this.#mode = 'open';
    this.#report = null;
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
      const now = this.#now();
      this.#noteWaiting('nothing', now);
      this.#report = reportOf(this.#grant, {
        windowMs: now - this.#startedAtMs,
        exhaustedMs: this.#exhaustedMs,
        pacedMs: this.#pacedMs,
        chargedOps: this.#charged,
        chargedByType: this.#chargedByType,
        peakSecondOps: this.#peakSecondOps,
        lastSecondOps: this.#secondOps,
        parkedOps: this.#queue.size,
      });
      this.#mode = 'closed';
      this.#leaveWindow(now);
    }
    return this.#report;
  }

  /** What is left of the credits is void. */
  #leaveWindow(now: number): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    this.#ready = 0;
    if (this.#release === null) return;
    this.#release.fill(now);
    this.#paced = { ready: this.#release.ready, atMs: now };
    this.#release = null;
  }

  #chargeOrPark(type: TransactionType, cost: number, signal?: AbortSource): undefined | Promise<number> {
    if (!Number.isSafeInteger(cost) || cost < 1) {
      throw new RangeError(`a charge must be a whole number of at least 1 credit, not ${cost}`);
    }
    if (signal?.aborted === true) return rejectedWith(signal.reason);
    const now = this.#now();
    if (this.#queue.size === 0 && this.#lacking(cost, now) === 'nothing') {
      this.#take(type, cost, now);
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const links = { previous: null, next: null };
      this.#queue.push({ type, cost, parkedAtMs: now, admit: resolve, abort: reject, signal, ...links });
      if (this.#queue.size === 1) this.#wait(cost, now);
    });
  }

  /** What a charge that is next would have to wait for. */
  #lacking(cost: number, now: number): Waiting {
    if (this.#mode !== 'enforced' || this.#grant === null || now >= this.#validUntilMs) return 'credits';
    this.#release?.fill(now);
    const left = this.#release?.left ?? this.#ready;
    // No window of this size could ever hold the charge: let it pass alone at the start of one, and owe the difference.
    const alone = this.#charged === 0 && left > 0 && cost > this.#grant.creditBudget;
    if (cost > left + ROUNDING && !alone) return 'credits';
    if (this.#release === null) return 'nothing';
    return this.#release.ready + ROUNDING >= Math.min(cost, this.#release.burstCredits) ? 'nothing' : 'slot';
  }

  #take(type: TransactionType, cost: number, now: number): void {
    const left = this.#release?.left ?? this.#ready;
    // A charge that was let pass alone leaves nothing and a debt.
    const owed = Math.max(0, Math.round(cost - left));
    this.#debt += owed;
    if (this.#release === null) this.#ready -= cost - owed;
    else this.#release.spend(cost - owed);
    this.#count(type, cost, now);
  }

  #count(type: TransactionType, cost: number, now: number): void {
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
    for (let head = this.#queue.head; head !== null; head = this.#queue.head) {
      if (this.#lacking(head.cost, now) !== 'nothing') {
        this.#wait(head.cost, now);
        return;
      }
      this.#queue.shift();
      this.#take(head.type, head.cost, now);
      head.admit(now - head.parkedAtMs);
    }
    this.#noteWaiting('nothing', now);
  }

  /** The oldest parked operation, of this cost, cannot be admitted yet. */
  #wait(cost: number, now: number): void {
    const lacking = this.#lacking(cost, now);
    this.#noteWaiting(lacking, now);
    if (lacking !== 'slot' || this.#release === null || this.#startTimer === undefined || this.#cancelTimer !== null)
      return;
    const slotMs = Math.min(LONGEST_SLOT_MS, this.#release.waitMs(this.#release.burstCredits) / 2);
    this.#cancelTimer = this.#startTimer(
      () => {
        this.#cancelTimer = null;
        this.#settle();
      },
      Math.max(slotMs, this.#release.waitMs(cost)),
    );
  }

  /** Starts, stops or changes the clock of the time in which something is parked inside an open window. */
  #noteWaiting(waiting: Waiting, now: number): void {
    if (this.#mode !== 'enforced' || waiting === this.#waiting) return;
    if (this.#waiting === 'credits') this.#exhaustedMs += now - this.#waitingSinceMs;
    else if (this.#waiting === 'slot') this.#pacedMs += now - this.#waitingSinceMs;
    this.#waiting = waiting;
    this.#waitingSinceMs = now;
  }
}

function rejectedWith(reason: unknown): Promise<never> {
  // An aborted operation fails with exactly what its owner passed to abort(), Error or not.
  return new Promise((_, reject: (reason: unknown) => void) => reject(reason));
}

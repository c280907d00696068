import { QuotaError, type Clock, type Draw, type Drawn } from '@weir/quota';
import type { Count, Dialect } from './dialect.ts';
import { expiryOf, type Expiry } from './expiry.ts';

/*
 * How a limit is kept by a server that cannot raise a number conditionally.
 *
 * far   The counter is not known to be near its limit: raise at once, one round trip. Raises are atomic, so each sees a different
 *       `before`; a draw keeps what fits between `before` and the limit and takes the rest back. Let G be the sum of
 *       all grants: the counter is never below G, so before >= G, so G + grant <= limit. Never more than the limit, whoever runs at
 *       the same time.
 * near  Look first. Nothing fits: refuse, nothing is written. Else raise only if nobody has written since (compare-and-swap).
 *       Draws of this process on one key take turns here, so only processes compete, and each failure is another's success.
 *
 * Between an overshoot and its return (one round trip, and only where a far draw met the limit) the counter stands too high. It
 * cannot admit too much then, but a smaller draw might be refused that fits. So no draw is refused on the word of a raise: it
 * looks, and looks again while the counter stands above the limit. A process that dies in between leaves its overshoot
 * counted until the period ends, on the safe side.
 *
 * A take-back cannot lower a counter below zero or create one. If the counter vanished (flush, eviction) after the overshoot and
 * was begun anew, taking back would lower somebody else's count, so it is tied to the very state that the overshoot made, and
 * when that has changed, the counter must still hold at least the overshoot.
 */

/** How often a draw may lose against others before it raises unconditionally. */
const MOST_LOSSES = 12;

/** How often a refused draw looks again while the counter stands above its limit. */
const MOST_SECOND_LOOKS = 2;

/** A counter is near its limit within this many times the amount of a draw … */
const NEAR_AMOUNTS = 4;

/** … or within this share of the limit. */
const NEAR_SHARE = 1 / 16;

/** The largest multiple of the unit that a counter with this total can still grant. */
export function fitting(draw: Draw, total: number): number {
  const room = Math.min(draw.amount, draw.limit - total);
  return room < draw.unit ? 0 : room - (room % draw.unit);
}

/** Draws on the counters of one server. */
export class CounterDraws {
  readonly #dialect: Dialect;
  readonly #now: Clock;
  /** The end of the queue of each key that is near its limit; only keys in use. */
  readonly #turns = new Map<string, Promise<unknown>>();

  /** @param now the server's time in ms, as well as it is known. */
  constructor(dialect: Dialect, now: Clock) {
    this.#dialect = dialect;
    this.#now = now;
  }

  /** Raises one counter as far as its limit allows. @throws {QuotaError} what the dialect throws. */
  async draw(asked: Draw): Promise<Drawn> {
    const expiry = expiryOf(asked.deadline, this.#now());
    const draw = { ...asked, amount: asked.amount - (asked.amount % asked.unit) };
    const unfit = fitting(draw, 0) < draw.amount;
    if (unfit || this.#turns.has(draw.key) || (draw.seen !== undefined && isNear(draw, draw.seen))) {
      return this.#inTurn(draw.key, () => this.#drawNear(draw, expiry));
    }
    const raised = await this.#raise(draw, draw.amount, expiry);
    const vanished = draw.seen !== undefined && draw.seen > 0 && raised.before === 0;
    const { granted } = raised;
    if (granted === draw.amount) return drawn(granted, raised.total, vanished);
    const rest = { ...draw, amount: draw.amount - granted };
    try {
      const more = await this.#inTurn(draw.key, () => this.#drawNear(rest, expiry));
      return drawn(granted + more.granted, more.total, vanished);
    } catch (error) {
      // What was granted is counted; only whether more would have fitted stays open.
      if (granted > 0) return drawn(granted, raised.total, vanished);
      throw error;
    }
  }

  async #drawNear(draw: Draw, expiry: Expiry): Promise<Drawn> {
    let granted = 0;
    let looks = 0;
    for (let losses = 0; losses < MOST_LOSSES;) {
      const rest = { ...draw, amount: draw.amount - granted };
      const found = await this.#look(draw.key, expiry);
      const total = found?.total ?? 0;
      const vanished = found === undefined && (draw.seen ?? 0) > 0;
      const fit = fitting(rest, total);
      if (fit === 0) {
        if (total <= draw.limit || looks === MOST_SECOND_LOOKS) return drawn(granted, total, vanished);
        looks += 1;
        continue;
      }
      const raised = await this.#raiseFrom(rest, fit, found, expiry);
      granted += raised?.granted ?? 0;
      if (raised?.granted === fit) return drawn(granted, raised.total, vanished);
      losses += 1;
    }
    const last = { ...draw, amount: draw.amount - granted };
    const raised = await this.#raise(last, fitting(last, 0), expiry);
    return drawn(granted + raised.granted, raised.total, false);
  }

  /** Raises a counter that was looked at; `undefined` when somebody else was faster. */
  async #raiseFrom(
    draw: Draw,
    amount: number,
    found: Count | undefined,
    expiry: Expiry,
  ): Promise<{ granted: number; total: number } | undefined> {
    const conditional = this.#dialect.raiseUnchanged;
    if (found === undefined || conditional === undefined || !isNear(draw, found.total)) {
      return this.#raise(draw, amount, expiry);
    }
    const raised = await conditional(draw.key, amount, found);
    return typeof raised === 'string' ? undefined : { granted: amount, total: raised.total };
  }

  /** Raises unconditionally, dates what has no deadline, and takes back what is over the limit. */
  async #raise(
    draw: Draw,
    amount: number,
    expiry: Expiry,
  ): Promise<{ granted: number; total: number; before: number }> {
    let raised: Count & { before: number } = await this.#dialect.raise(draw.key, amount, expiry);
    if (raised.undated) raised = { ...raised, ...(await this.#dialect.date(draw.key, expiry)) };
    const granted = fitting({ ...draw, amount }, raised.before);
    if (granted === amount) return { granted, total: raised.total, before: raised.before };
    const total = await this.#takeBack(draw.key, amount - granted, raised, granted > 0);
    return { granted, total, before: raised.before };
  }

  /** @param keep whether a failure is kept quiet, because there is something granted to report. */
  async #takeBack(key: string, amount: number, overshot: Count, keep: boolean): Promise<number> {
    try {
      const lowered = await this.#dialect.lower(key, amount, overshot);
      if (typeof lowered !== 'string') return lowered.total;
      if (lowered === 'absent') return 0;
      const found = await this.#dialect.look(key);
      if (found === undefined || found.total < amount) return found?.total ?? 0;
      const after = await this.#dialect.lower(key, amount);
      return typeof after === 'string' ? 0 : after.total;
    } catch (error) {
      if (keep && error instanceof QuotaError) return overshot.total;
      throw error;
    }
  }

  async #look(key: string, expiry: Expiry): Promise<Count | undefined> {
    const found = await this.#dialect.look(key);
    // Also a draw that will be refused dates what it meets: an undated counter at its limit would refuse for ever.
    return found?.undated === true ? ((await this.#dialect.date(key, expiry)) ?? found) : found;
  }

  async #inTurn<T>(key: string, run: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(key);
    const mine = before === undefined ? run() : before.then(run, run);
    this.#turns.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#turns.get(key) === mine) this.#turns.delete(key);
    }
  }
}

function isNear(draw: Draw, total: number): boolean {
  const reserve = Math.max(draw.amount * NEAR_AMOUNTS, draw.limit * NEAR_SHARE);
  return total + draw.amount > draw.limit - reserve;
}

function drawn(granted: number, total: number, vanished: boolean): Drawn {
  return vanished ? { granted, total, vanished } : { granted, total };
}

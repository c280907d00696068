import { QuotaError, type Deadline, type Draw, type Drawn } from '@weir/quota';
import type { Count, Dialect } from './dialect.ts';
import type { Expiry } from './expiry.ts';
import { fitting, isNear, share, type Share } from './sharing.ts';

/*
 * How a limit is kept by a server that cannot raise a number conditionally.
 *
 * far   The counter is not known to be near its limit: raise at once, one round trip. Raises are atomic, so each sees a different
 *       `before`; a draw keeps what fits between `before` and the limit and takes the rest back. Let G be the sum of
 *       all grants: the counter is never below G, so before >= G, so G + grant <= limit. Never more than the limit, whoever runs at
 *       the same time.
 * near  Look first. Nothing fits: refuse, nothing is written. Else raise only if nobody has written since (compare-and-swap).
 *       The draws of this process on one key that wait meanwhile make up the next round together, so only processes compete,
 *       and each failure is another's success.
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

/** How often a round may lose against other processes before it raises unconditionally. */
const MOST_LOSSES = 12;

/** How often refused draws look again while the counter stands above their limit. */
const MOST_SECOND_LOOKS = 2;

/** A draw that waits for its round. */
interface Waiting {
  readonly draw: Draw;
  readonly expiry: Expiry;
  granted: number;
  /** The counter after the last grant. */
  total: number;
  readonly resolve: (drawn: Drawn) => void;
  readonly reject: (error: unknown) => void;
}

/** What an unconditional raise did. */
interface Raise {
  readonly before: number;
  /** The counter after what did not fit was taken back. */
  readonly total: number;
  readonly shared: Share;
}

/** Draws on the counters of one server. */
export class CounterDraws {
  readonly #dialect: Dialect;
  readonly #expiry: (deadline: Deadline) => Expiry;
  /** Who waits for a round on a counter near its limit; a key is here while rounds run. */
  readonly #waiting = new Map<string, Waiting[]>();

  /** @param expiry the expiry of a deadline on this server; throws where it has passed. */
  constructor(dialect: Dialect, expiry: (deadline: Deadline) => Expiry) {
    this.#dialect = dialect;
    this.#expiry = expiry;
  }

  /** Raises one counter as far as its limit allows. @throws {QuotaError} what the dialect throws, or `invalid-deadline`. */
  async draw(asked: Draw): Promise<Drawn> {
    const expiry = this.#expiry(asked.deadline);
    const { key, seen, limit } = asked;
    const draw =
      asked.amount % asked.unit === 0 ? asked : { ...asked, amount: asked.amount - (asked.amount % asked.unit) };
    const { amount } = draw;
    if (fitting(draw, 0) < amount || this.#waiting.has(key) || (seen !== undefined && isNear(seen, amount, limit))) {
      return this.#join(draw, expiry);
    }
    const { before, total, shared } = await this.#raise(key, [draw], amount, expiry);
    const vanished = before === 0 && (seen ?? 0) > 0;
    if (shared.sum === amount) return drawn(amount, total, vanished);
    try {
      const more = await this.#join({ ...draw, amount: amount - shared.sum }, expiry);
      return drawn(shared.sum + more.granted, more.total, vanished);
    } catch (error) {
      // What was granted is counted; only whether more would have fitted stays open.
      if (shared.sum > 0) return drawn(shared.sum, total, vanished);
      throw error;
    }
  }

  /** Waits for the next round on the draw's counter. */
  #join(draw: Draw, expiry: Expiry): Promise<Drawn> {
    return new Promise((resolve, reject) => {
      const waiting = { draw, expiry, granted: 0, total: 0, resolve, reject };
      const queue = this.#waiting.get(draw.key);
      if (queue !== undefined) {
        queue.push(waiting);
        return;
      }
      this.#waiting.set(draw.key, [waiting]);
      void this.#runRounds(draw.key);
    });
  }

  async #runRounds(key: string): Promise<void> {
    for (;;) {
      const round = this.#waiting.get(key)?.splice(0) ?? [];
      const [first] = round;
      if (first === undefined) {
        this.#waiting.delete(key);
        return;
      }
      try {
        await this.#round(key, round, first.expiry);
      } catch (error) {
        // Those that were served have their answer already; for them this does nothing.
        for (const { granted, total, resolve, reject } of round) {
          if (granted > 0) resolve(drawn(granted, total, false));
          else reject(error);
        }
      }
    }
  }

  async #round(key: string, round: readonly Waiting[], expiry: Expiry): Promise<void> {
    let open = round;
    let looks = 0;
    for (let losses = 0; open.length > 0;) {
      const found = await this.#look(key, expiry);
      const total = found?.total ?? 0;
      const wishes = open.map(rest);
      const plan = share(wishes, total);
      const final = losses > 2 * MOST_LOSSES || plan.sum === 0;
      if (plan.sum === 0 && looks < MOST_SECOND_LOOKS && wishes.some(({ limit }) => total > limit)) {
        looks += 1;
        continue;
      }
      if (final) {
        for (const one of open) settle(one, 0, total, found === undefined);
        return;
      }
      const done = await this.#raiseFrom(key, wishes, plan, found, expiry, losses >= MOST_LOSSES);
      losses += 1;
      if (done === undefined) continue;
      const whole = done.sum === plan.sum;
      const short: Waiting[] = [];
      for (const [index, one] of open.entries()) {
        const grant = done.grants[index] ?? 0;
        if (whole || one.granted + grant === one.draw.amount) {
          settle(one, grant, done.totals[index] ?? total, found === undefined);
        } else {
          one.granted += grant;
          one.total = done.totals[index] ?? total;
          short.push(one);
        }
      }
      open = short;
    }
  }

  /** Raises a counter that was looked at; `undefined` when somebody else was faster. */
  async #raiseFrom(
    key: string,
    wishes: readonly Draw[],
    plan: Share,
    found: Count | undefined,
    expiry: Expiry,
    insist: boolean,
  ): Promise<Share | undefined> {
    const conditional = insist ? undefined : this.#dialect.raiseUnchanged;
    const limit = Math.min(...wishes.map((wish) => wish.limit));
    if (conditional !== undefined && found !== undefined && isNear(found.total, plan.sum, limit)) {
      return typeof (await conditional(key, plan.sum, found)) === 'string' ? undefined : plan;
    }
    return (await this.#raise(key, wishes, plan.sum, expiry)).shared;
  }

  /** Raises unconditionally, dates what has no deadline, serves the wishes in order and takes back what does not fit. */
  async #raise(key: string, wishes: readonly Draw[], amount: number, expiry: Expiry): Promise<Raise> {
    const raised = await this.#dialect.raise(key, amount, expiry);
    const dated = raised.undated ? await this.#dialect.date(key, expiry) : undefined;
    const shared = share(wishes, raised.before);
    const over = amount - shared.sum;
    const after: Count = dated ?? raised;
    const total = over > 0 ? await this.#takeBack(key, over, after, shared.sum > 0) : after.total;
    return { before: raised.before, total, shared };
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
}

function rest({ draw, granted }: Waiting): Draw {
  return granted === 0 ? draw : { ...draw, amount: draw.amount - granted };
}

function settle(waiting: Waiting, grant: number, total: number, wasAbsent: boolean): void {
  waiting.granted += grant;
  waiting.resolve(drawn(waiting.granted, total, wasAbsent && (waiting.draw.seen ?? 0) > 0));
}

function drawn(granted: number, total: number, vanished: boolean): Drawn {
  return vanished ? { granted, total, vanished } : { granted, total };
}

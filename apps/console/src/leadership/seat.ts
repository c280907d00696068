/*
 * The seat of one console in its group: who leads, and for how long that is certain.
 *
 *   standby ──lease is ours──▶ taking ──fence, term opened──▶ leader
 *      ▲                          │                              │
 *      │                          └── lease not proven any more, │ or the database has a newer leader
 *      └── the term was torn down ◀── stepping down ◀────────────┘
 *
 * A standby that differs from its leader, or that is older than the database, only looks until one leads that it may succeed.
 *
 * The lease is proven from the moment at which it was asked for, by the steady clock, so a console that was stopped knows
 * before its first answer that it may not lead any more. The fence stands behind it: the database refuses every change of
 * a term that is not its newest, whatever any clock says.
 */
import type { Timer } from '../ports/clock.ts';
import type { LeaseAnswer, Leader } from '../ports/lease-store.ts';
import type { Difference } from './differences.ts';
import { Fitness } from './fitness.ts';
import { LEAVE_TO_OTHERS_MS, OPEN_AGAIN_MS, PROVEN_MS, RENEW_AGAIN_MS, RENEW_MS } from './lease-times.ts';
import { MissingLease } from './missing-lease.ts';
import type { SeatOptions, Term } from './seat-options.ts';

interface Attempt {
  readonly id: string;
  provenUntilMs: number;
  fence: number | null;
}

/** Takes the lease when it is free, keeps it, and stops leading the moment it is not proven any more. */
export class Seat<T extends Term> {
  readonly #options: SeatOptions<T>;
  readonly #missing = new MissingLease();
  #attempt: Attempt | null = null;
  #term: T | null = null;
  #leader: Leader | null = null;
  /** Until when the leader's lease lasts as far as was seen: it may go on leading while we cannot look. */
  #leaderUntilMs = Number.NEGATIVE_INFINITY;
  #turnTimer: Timer | undefined;
  #endTimer: Timer | undefined;
  #turning: Promise<void> = Promise.resolve();
  #opening: Promise<void> = Promise.resolve();
  #tearingDown: Promise<void> | null = null;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  #stopped = false;
  readonly #fitness: Fitness;
  readonly #failures = new Set<string>();
  #decide!: () => void;
  /** Resolves when it is known for the first time who leads, or that this cannot be known now. */
  readonly decided: Promise<void> = new Promise((resolve) => {
    this.#decide = resolve;
  });

  constructor(options: SeatOptions<T>) {
    this.#options = options;
    this.#fitness = new Fitness(options.self, options.log);
  }

  /** The term, while this console leads for certain; else null. */
  get serving(): T | null {
    return this.#isProven() ? this.#term : null;
  }

  /** Number of the term that this console has or opens; null for a standby. */
  get fence(): number | null {
    return this.#isProven() ? (this.#attempt?.fence ?? null) : null;
  }

  /** Who leads as far as is known: this console or another; null: nobody. */
  get leader(): Leader | null {
    if (this.serving !== null) return { ...this.#options.self, fence: this.fence };
    return this.#leader;
  }

  /** Why this console may not lead; null: it may. */
  get difference(): Difference | null {
    return this.#fitness.difference;
  }

  /** Looks for the first time, and then again and again. */
  start(): void {
    this.#turning = this.#turn();
  }

  /** Finishes the term, gives the lease back, and looks no more. */
  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#turnTimer?.cancel();
    await this.#turning;
    const attempt = this.#attempt;
    // It goes on being renewed while the term finishes: what is written last must be written by the leader.
    if (attempt !== null) this.#turning = this.#turn();
    await this.#opening;
    const term = this.serving;
    await term?.finish();
    this.#turnTimer?.cancel();
    await this.#turning;
    if (term !== null) this.#term = null;
    if (attempt !== null && this.#attempt === attempt) await this.#giveBack(attempt);
    this.#drop();
    await this.#tearingDown;
  }

  #isProven(): boolean {
    return this.#attempt !== null && this.#options.clock.steadyMs() < this.#attempt.provenUntilMs;
  }

  async #turn(): Promise<void> {
    const { clock, chance } = this.#options;
    let nextMs: number;
    try {
      nextMs = this.#attempt === null ? await this.#look() : await this.#renew(this.#attempt);
      this.#failures.clear();
    } catch (error) {
      this.#noteFailure(String(error));
      nextMs = RENEW_AGAIN_MS;
      if (this.#attempt === null) {
        if (clock.steadyMs() >= this.#leaderUntilMs) this.#noteLeader(null);
        nextMs = this.#missing.nextLookMs(clock.steadyMs(), chance());
        this.#decide();
      }
    }
    if (this.#stopped && this.#attempt === null) return;
    this.#turnTimer = clock.after(nextMs, () => {
      this.#turning = this.#turn();
    });
  }

  /** A standby's turn. Returns when the next one is due, in ms from now. */
  async #look(): Promise<number> {
    const { clock, lease, self, newId, chance } = this.#options;
    // One term at a time in a process, also while one is being opened or torn down.
    await this.#opening;
    await this.#tearingDown;
    if (this.#stopped) return 0;
    const askedAtMs = clock.steadyMs();
    if (askedAtMs < this.#pausedUntilMs) return this.#pausedUntilMs - askedAtMs;
    if (this.#fitness.difference !== null) return this.#onlyLook();
    const id = newId();
    const answer = await lease
      .claim(id, { ...self, fence: null }, this.#missing.mayBeTaken(askedAtMs, lease.run))
      .catch((error) => {
        // It may be ours without our knowing: then nobody has it until it ends.
        this.#missing.lost();
        throw error;
      });
    if (answer.held === 'own') return this.#begin(id, askedAtMs);
    this.#noteStandby(answer);
    // A lease that is missing is somebody's in a moment.
    if (answer.held === 'other') this.#decide();
    return this.#missing.nextLookMs(clock.steadyMs(), chance());
  }

  /** A turn of a standby that may not lead. */
  async #onlyLook(): Promise<number> {
    const { clock, lease, chance } = this.#options;
    this.#noteStandby(await lease.look());
    return this.#missing.nextLookMs(clock.steadyMs(), chance());
  }

  /** Said once each until one goes well: Redis may be there and refuse, being full or a replica, and nothing else tells. */
  #noteFailure(error: string): void {
    if (this.#failures.has(error)) return;
    this.#failures.add(error);
    this.#options.log.warn({ error }, 'the lease could not be asked for; nobody leads for long without it');
  }

  #noteStandby(answer: Exclude<LeaseAnswer, { held: 'own' }>): void {
    const nowMs = this.#options.clock.steadyMs();
    if (answer.held === 'missing') {
      this.#missing.sawMissing(nowMs);
      // Lost before its time, it is taken again by its holder.
      if (nowMs >= this.#leaderUntilMs) this.#noteLeader(null);
      return;
    }
    this.#missing.sawHeld(answer.remainingMs);
    this.#leaderUntilMs = nowMs + answer.remainingMs;
    if (answer.holder !== null) this.#fitness.sawLeader(answer.holder);
    this.#noteLeader(answer.holder);
  }

  #noteLeader(leader: Leader | null): void {
    const before = this.#leader;
    this.#leader = leader;
    if (before?.url === leader?.url && before?.fence === leader?.fence) return;
    this.#options.leaderChanged?.(leader);
  }

  #begin(id: string, askedAtMs: number): number {
    const attempt: Attempt = { id, provenUntilMs: askedAtMs + PROVEN_MS, fence: null };
    this.#attempt = attempt;
    this.#noteLeader(null);
    this.#watchEnd(attempt);
    this.#opening = this.#open(attempt).finally(this.#decide);
    return RENEW_MS;
  }

  /** A leader's turn. A lease that Redis lost is taken again while it is proven: nobody else can have had it. */
  async #renew(attempt: Attempt): Promise<number> {
    const { clock, lease, self } = this.#options;
    const askedAtMs = clock.steadyMs();
    if (askedAtMs >= attempt.provenUntilMs) {
      this.#lose(attempt, 'it could not be renewed in time');
      return RENEW_AGAIN_MS;
    }
    const answer = await lease.claim(attempt.id, { ...self, fence: attempt.fence }, true);
    if (this.#attempt !== attempt) return RENEW_AGAIN_MS;
    if (answer.held !== 'own') {
      this.#lose(attempt, 'another console holds it');
      this.#noteStandby(answer);
      return RENEW_AGAIN_MS;
    }
    if (clock.steadyMs() >= attempt.provenUntilMs) {
      // The answer came after it had stopped being proven: whoever looked in between may count on that.
      this.#lose(attempt, 'it was renewed too late');
      await lease.release(attempt.id);
      return RENEW_AGAIN_MS;
    }
    attempt.provenUntilMs = askedAtMs + PROVEN_MS;
    this.#watchEnd(attempt);
    return RENEW_MS;
  }

  #watchEnd(attempt: Attempt): void {
    const { clock } = this.#options;
    this.#endTimer?.cancel();
    this.#endTimer = clock.after(Math.max(0, attempt.provenUntilMs - clock.steadyMs()), () => {
      if (this.#attempt === attempt && !this.#isProven()) this.#lose(attempt, 'it could not be renewed in time');
    });
  }

  async #open(attempt: Attempt): Promise<void> {
    const { log, nextFence, openTerm, mayTryAgain, clock } = this.#options;
    const beganAtMs = clock.steadyMs();
    while (this.#attempt === attempt && !this.#stopped) {
      try {
        const fence = await nextFence();
        attempt.fence = fence;
        const term = await openTerm(fence, () => this.#lose(attempt, 'the database has a newer leader or version'));
        if (this.#attempt === attempt) {
          this.#term = term;
          this.#fitness.led();
          const tookMs = Math.round(clock.steadyMs() - beganAtMs);
          log.info({ seat: 'leader', fence, url: this.#options.self.url, tookMs }, 'this console leads its group');
        } else await term.abandon();
        return;
      } catch (error) {
        if (!mayTryAgain(error)) {
          this.#fitness.couldNotLead(error);
          return this.#leaveToOthers(attempt);
        }
        log.warn({ error: String(error) }, 'this console cannot lead yet');
      }
      await new Promise<void>((resolve) => void clock.after(OPEN_AGAIN_MS, resolve));
    }
  }

  async #leaveToOthers(attempt: Attempt): Promise<void> {
    this.#pausedUntilMs = this.#options.clock.steadyMs() + LEAVE_TO_OTHERS_MS;
    if (this.#attempt !== attempt) return;
    this.#drop();
    await this.#giveBack(attempt);
  }

  async #giveBack(attempt: Attempt): Promise<void> {
    await this.#options.lease.release(attempt.id).catch((error: unknown) => {
      this.#options.log.warn({ error: String(error) }, 'the lease could not be given back; it ends by itself');
    });
  }

  /** Stops leading at once. */
  #lose(attempt: Attempt, reason: string): void {
    if (this.#attempt !== attempt) return;
    this.#options.log.warn({ reason, fence: attempt.fence }, 'this console does not lead any more');
    this.#drop();
  }

  #drop(): void {
    if (this.#attempt === null) return;
    this.#attempt = null;
    this.#endTimer?.cancel();
    this.#missing.lost();
    const term = this.#term;
    this.#term = null;
    if (term === null) return;
    this.#tearingDown = term
      .abandon()
      .catch((error: unknown) => this.#options.log.error({ err: error }, 'the end of a term failed'))
      .finally(() => {
        this.#tearingDown = null;
      });
  }
}

import type { Decision } from '@weir/quota';

/** What is seen of a decision. */
export type SeenDecision = Pick<Decision, 'allowed' | 'wouldRefuse' | 'used' | 'limit' | 'resetAt'>;

/** What a take came to, as far as the book is concerned. */
export interface Taken {
  /** Null: the subject is not to be shown to anybody. */
  subject: string | null;
  /** Refused, or would have been, in shadow. */
  refused: boolean;
  used: number;
  limit: number;
  resetAtMs: number;
}

/** Where a subject stood when it was seen last. */
export interface KnownSubject {
  subject: string;
  used: number;
  limit: number;
  resetAtMs: number;
  refused: number;
}

/** Subjects remembered per quota: the ones that were seen last. */
const MAX_SUBJECTS = 1_000;
const MINUTE_MS = 60_000;
const MINUTES = 60;

/** What this console has decided about one quota since it started. */
export class UsageBook {
  takes = 0;
  refused = 0;
  #minute = { admitted: 0, refused: 0 };
  /** Refusals by minute since 1970; the last hour. */
  readonly #refusals = new Map<number, number>();
  /** Seen last, last. */
  readonly #subjects = new Map<string, KnownSubject>();

  /** Notes one take. */
  note(taken: Taken, nowMs: number): void {
    this.takes += 1;
    if (taken.refused) {
      this.refused += 1;
      this.#minute.refused += 1;
      const minute = Math.floor(nowMs / MINUTE_MS);
      this.#refusals.set(minute, (this.#refusals.get(minute) ?? 0) + 1);
      for (const old of this.#refusals.keys()) if (old <= minute - MINUTES) this.#refusals.delete(old);
    } else {
      this.#minute.admitted += 1;
    }
    if (taken.subject !== null) this.#noteSubject(taken.subject, taken);
  }

  #noteSubject(subject: string, { refused, used, limit, resetAtMs }: Taken): void {
    const before = this.#subjects.get(subject);
    const again = before?.resetAtMs === resetAtMs;
    this.#subjects.delete(subject);
    this.#subjects.set(subject, {
      subject,
      used,
      limit,
      resetAtMs,
      refused: (again ? before.refused : 0) + (refused ? 1 : 0),
    });
    const [oldest] = this.#subjects.keys();
    if (this.#subjects.size > MAX_SUBJECTS && oldest !== undefined) this.#subjects.delete(oldest);
  }

  /** Forgets where a subject stood. */
  forget(subject: string): void {
    this.#subjects.delete(subject);
  }

  /** Subjects whose period has not ended, most used first; those that are over are forgotten. */
  subjects(nowMs: number): KnownSubject[] {
    for (const [name, { resetAtMs }] of this.#subjects) if (resetAtMs <= nowMs) this.#subjects.delete(name);
    return [...this.#subjects.values()].toSorted((a, b) => b.used - a.used || b.refused - a.refused);
  }

  /** Refusals of the last 60 minutes, the present one included. */
  refusedLastHour(nowMs: number): number {
    const from = Math.floor(nowMs / MINUTE_MS) - MINUTES;
    let sum = 0;
    for (const [minute, count] of this.#refusals) if (minute > from) sum += count;
    return sum;
  }

  /** What was decided since the last call. */
  takeMinute(): { admitted: number; refused: number } {
    const minute = this.#minute;
    this.#minute = { admitted: 0, refused: 0 };
    return minute;
  }
}

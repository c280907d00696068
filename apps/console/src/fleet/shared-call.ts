/**
 * Makes one call for everybody who asks at about the same time: one is under way at a time, and who asks meanwhile gets the
 * answer of the next. So an answer is never older than the question, and the number of calls does not grow with that of
 * the callers.
 */
export class SharedCall<Answer> {
  readonly #call: () => Promise<Answer>;
  #underWay: Promise<Answer> | null = null;
  #next: Promise<Answer> | null = null;

  constructor(call: () => Promise<Answer>) {
    this.#call = call;
  }

  /** @throws (rejects) what the call fails with, for all who wait for it */
  ask(): Promise<Answer> {
    if (this.#underWay === null) return this.#begin();
    this.#next ??= this.#underWay.then(
      () => this.#begin(),
      () => this.#begin(),
    );
    return this.#next;
  }

  #begin(): Promise<Answer> {
    this.#next = null;
    const call = this.#call();
    this.#underWay = call;
    const settled = (): void => {
      // The next one may have begun already.
      if (this.#underWay === call) this.#underWay = null;
    };
    call.then(settled, settled);
    return call;
  }
}

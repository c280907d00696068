/** Writes that nobody waits for, such as those that a heartbeat sets going: only the end of the console does. */
export class PendingWrites {
  readonly #pending = new Set<Promise<void>>();

  /** @param writing does not reject: whoever begins it says what becomes of a failure */
  add(writing: Promise<void>): void {
    this.#pending.add(writing);
    void writing.finally(() => this.#pending.delete(writing));
  }

  /** Resolves when all that are under way now are done. */
  async done(): Promise<void> {
    await Promise.all(this.#pending);
  }
}

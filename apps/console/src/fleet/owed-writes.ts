/**
 * What has been decided in memory and must be written down once, however often it is asked for. Who asks while it is being
 * written waits for that; after a failure it is still owed, and the next one who asks tries again.
 */
export class OwedWrites {
  /** Null: not under way. */
  readonly #owed = new Map<string, Promise<void> | null>();

  /** It has been decided. */
  owe(key: string): void {
    this.#owed.set(key, null);
  }

  /** Writes it down unless it is. @throws (rejects) what `write` fails with */
  async settle(key: string, write: () => Promise<void>): Promise<void> {
    if (!this.#owed.has(key)) return;
    await (this.#owed.get(key) ?? this.#begin(key, write));
  }

  async #begin(key: string, write: () => Promise<void>): Promise<void> {
    const writing = write().then(
      () => void this.#owed.delete(key),
      (error: unknown) => {
        this.#owed.set(key, null);
        throw error;
      },
    );
    this.#owed.set(key, writing);
    return writing;
  }
}

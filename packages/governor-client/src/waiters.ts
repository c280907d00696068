/** Operations that wait, so that all of them can be sent away when nothing will ever come. */
export class Waiters {
  readonly #rejects = new Set<(error: Error) => void>();

  /** The same promise, but rejected by `sendAway` when that comes first. */
  until(parked: Promise<number>): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#rejects.add(reject);
      parked.then(resolve, reject).finally(() => this.#rejects.delete(reject));
    });
  }

  sendAway(error: Error): void {
    for (const reject of this.#rejects) reject(error);
  }
}

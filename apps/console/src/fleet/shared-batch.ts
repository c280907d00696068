/** What is asked, and who waits for the answer. */
interface Asked<Item, Answer> {
  readonly item: Item;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Makes one call for what everybody asks at about the same time: one is under way at a time, and what is asked meanwhile goes
 * together with the next. The questions of a call stand in the order in which they were asked.
 */
export class SharedBatch<Item, Answer> {
  readonly #call: (items: readonly Item[]) => Promise<readonly Answer[]>;
  readonly #most: number;
  #waiting: Asked<Item, Answer>[] = [];
  #underWay = false;

  /**
   * @param call answers each item; when it rejects, it does so for all of them.
   * @param most how many items go in one call at most.
   */
  constructor(call: (items: readonly Item[]) => Promise<readonly Answer[]>, most: number) {
    this.#call = call;
    this.#most = most;
  }

  /** @throws (rejects) what the call fails with that the item went with */
  ask(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (!this.#underWay) void this.#callAll();
    });
  }

  async #callAll(): Promise<void> {
    this.#underWay = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#most);
      try {
        const answers = await this.#call(batch.map(({ item }) => item));
        for (const [index, { resolve, reject }] of batch.entries()) {
          const answer = answers[index];
          if (answer === undefined) reject(new Error('the call gave no answer to this item'));
          else resolve(answer);
        }
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#underWay = false;
  }
}

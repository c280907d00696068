/** Fields that a queue keeps in its own elements; nobody else writes them. */
export interface Linked<T> {
  previous: T | null;
  next: T | null;
}

/** Elements in the order in which they came; adding, and removing any one of them, cost O(1). */
export class LinkedQueue<T extends Linked<T>> {
  #head: T | null = null;
  #tail: T | null = null;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The element that has been here longest. */
  get head(): T | null {
    return this.#head;
  }

  push(element: T): void {
    element.previous = this.#tail;
    element.next = null;
    if (this.#tail === null) this.#head = element;
    else this.#tail.next = element;
    this.#tail = element;
    this.#size += 1;
  }

  /** @param element one that is in this queue. */
  remove(element: T): void {
    if (element.previous === null) this.#head = element.next;
    else element.previous.next = element.next;
    if (element.next === null) this.#tail = element.previous;
    else element.next.previous = element.previous;
    element.previous = null;
    element.next = null;
    this.#size -= 1;
  }
}

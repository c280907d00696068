import type { Tally } from './fitting-scale.ts';

/** A value in the order; its owner keeps it, unread, to take it out again. */
export interface Place<T> {
  readonly key: number;
  readonly item: T;
  /** Tells equal keys apart. */
  readonly serial: number;
  readonly priority: number;
  /** How much the key counts. */
  readonly weight: number;
  left: Place<T> | null;
  right: Place<T> | null;
  /** Weights and weighted keys of the subtree; computed from its children at each change, so that no rounding error builds up over time. */
  count: number;
  sum: number;
}

const NOTHING: Tally = { count: 0, sum: 0 };

/**
 * Numbers in order, with their count and sum, both weighted, above or below any value in O(log n). A treap (Seidel and Aragon 1996):
 * each node has a pseudo-random priority, and the tree is what inserting by priority would have built.
 */
export class OrderedTallies<T> {
  #root: Place<T> | null = null;
  #serial = 0;
  // Xorshift with a fixed seed: the depth is random for any input that does not aim at this very sequence, and equal
  // histories give equal trees.
  #random = 0x2545f491;

  get total(): Tally {
    return this.#root ?? NOTHING;
  }

  /**
   * @param key finite number.
   * @param weight > 0, default 1: tallies count the key that often.
   */
  add(key: number, item: T, weight: number = 1): Place<T> {
    const place: Place<T> = {
      key,
      item,
      serial: (this.#serial += 1),
      priority: this.#nextPriority(),
      weight,
      left: null,
      right: null,
      count: weight,
      sum: key * weight,
    };
    this.#root = insert(this.#root, place);
    return place;
  }

  /** Takes out what `add` put in; once. */
  remove(place: Place<T>): void {
    this.#root = erase(this.#root, place);
  }

  /** Count and sum of the keys ≥ `least`. */
  atOrAbove(least: number): Tally {
    let count = 0;
    let sum = 0;
    for (let node = this.#root; node !== null;) {
      if (node.key < least) {
        node = node.right;
        continue;
      }
      count += node.weight + (node.right?.count ?? 0);
      sum += node.key * node.weight + (node.right?.sum ?? 0);
      node = node.left;
    }
    return { count, sum };
  }

  /** Count and sum of the keys < `limit`. */
  below(limit: number): Tally {
    let count = 0;
    let sum = 0;
    for (let node = this.#root; node !== null;) {
      if (node.key >= limit) {
        node = node.left;
        continue;
      }
      count += node.weight + (node.left?.count ?? 0);
      sum += node.key * node.weight + (node.left?.sum ?? 0);
      node = node.right;
    }
    return { count, sum };
  }

  /** Items with `from` ≤ key < `to`, in order: O(log n + found). */
  between(from: number, to: number): T[] {
    const found: T[] = [];
    collect(this.#root, from, to, found);
    return found;
  }

  #nextPriority(): number {
    this.#random ^= this.#random << 13;
    this.#random ^= this.#random >>> 17;
    this.#random ^= this.#random << 5;
    return this.#random;
  }
}

function comesBefore<T>(a: Place<T>, b: Place<T>): boolean {
  return a.key < b.key || (a.key === b.key && a.serial < b.serial);
}

function recount<T>(node: Place<T>): Place<T> {
  node.count = (node.left?.count ?? 0) + node.weight + (node.right?.count ?? 0);
  node.sum = (node.left?.sum ?? 0) + node.key * node.weight + (node.right?.sum ?? 0);
  return node;
}

function insert<T>(root: Place<T> | null, node: Place<T>): Place<T> {
  if (root === null) return node;
  if (node.priority > root.priority) {
    [node.left, node.right] = split(root, node);
    return recount(node);
  }
  if (comesBefore(node, root)) root.left = insert(root.left, node);
  else root.right = insert(root.right, node);
  return recount(root);
}

/** What comes before and what comes after `pivot`. */
function split<T>(root: Place<T> | null, pivot: Place<T>): [Place<T> | null, Place<T> | null] {
  if (root === null) return [null, null];
  if (comesBefore(root, pivot)) {
    const [before, after] = split(root.right, pivot);
    root.right = before;
    return [recount(root), after];
  }
  const [before, after] = split(root.left, pivot);
  root.left = after;
  return [before, recount(root)];
}

function erase<T>(root: Place<T> | null, node: Place<T>): Place<T> | null {
  if (root === null) throw new Error('the value is not in this order');
  if (root === node) return join(root.left, root.right);
  if (comesBefore(node, root)) root.left = erase(root.left, node);
  else root.right = erase(root.right, node);
  return recount(root);
}

/** Joins two trees, all of the first before all of the second. */
function join<T>(first: Place<T> | null, second: Place<T> | null): Place<T> | null {
  if (first === null) return second;
  if (second === null) return first;
  if (first.priority > second.priority) {
    first.right = join(first.right, second);
    return recount(first);
  }
  second.left = join(first, second.left);
  return recount(second);
}

function collect<T>(node: Place<T> | null, from: number, to: number, found: T[]): void {
  if (node === null) return;
  if (node.key >= from) collect(node.left, from, to, found);
  if (node.key >= from && node.key < to) found.push(node.item);
  if (node.key < to) collect(node.right, from, to, found);
}

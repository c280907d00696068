import type { Tally } from './fitting-scale.ts';

/** A value in the order: its owner keeps it to take the value out again. Given to another value afterwards. */
export type Place = number;

const NOWHERE: Place = 0;
const NOTHING: Tally = { count: 0, sum: 0 };
const FIRST_PLACES = 16;
const GROWTH = 1.5;

// Columns of the numbers of a place: its key, how much it counts, and both summed up over its subtree.
const NUMBERS = 4;
const WEIGHT = 1;
const COUNT = 2;
const SUM = 3;
// Columns of its links.
const LINKS = 3;
const RIGHT = 1;
const PRIORITY = 2;

/**
 * Numbers in order, with their count and sum, both weighted, above or below any value in O(log n). A treap (Seidel and Aragon 1996):
 * each node has a pseudo-random priority, and the tree is what inserting by priority would have built. Equal keys stand in
 * the order of their places.
 *
 * The tree lies in two arrays of numbers, a row for each value, with the empty tree in row 0: 52 bytes instead of 170 for an object with
 * its boxed numbers, on two cache lines, and nothing for the garbage collector to visit. Room that was needed once stays.
 */
export class OrderedTallies<T> {
  #root: Place = NOWHERE;
  #numbers = new Float64Array(FIRST_PLACES * NUMBERS);
  #links = new Int32Array(FIRST_PLACES * LINKS);
  readonly #items: (T | null)[] = [null];
  /** Places that were left, chained by their left links. */
  #vacant: Place = NOWHERE;
  // Xorshift with a fixed seed: the depth is random for any input that does not aim at this very sequence, and equal
  // histories give equal trees.
  #random = 0x2545f491;
  /** What `#split` found. */
  #before: Place = NOWHERE;
  #after: Place = NOWHERE;

  get total(): Tally {
    return this.#root === NOWHERE ? NOTHING : { count: this.#count(this.#root), sum: this.#sum(this.#root) };
  }

  /**
   * @param key finite number.
   * @param weight > 0, default 1: tallies count the key that often.
   */
  add(key: number, item: T, weight: number = 1): Place {
    const place = this.#newPlace();
    this.#items[place] = item;
    this.#numbers[place * NUMBERS] = key;
    this.#numbers[place * NUMBERS + WEIGHT] = weight;
    this.#links[place * LINKS] = NOWHERE;
    this.#links[place * LINKS + RIGHT] = NOWHERE;
    this.#links[place * LINKS + PRIORITY] = this.#nextPriority();
    this.#recount(place);
    this.#root = this.#insert(this.#root, place);
    return place;
  }

  /** Takes out what `add` put in; once. */
  remove(place: Place): void {
    this.#root = this.#erase(this.#root, place);
    this.#items[place] = null;
    this.#links[place * LINKS] = this.#vacant;
    this.#vacant = place;
  }

  /** Count and sum of the keys ≥ `least`. */
  atOrAbove(least: number): Tally {
    let count = 0;
    let sum = 0;
    for (let place = this.#root; place !== NOWHERE;) {
      if (this.#key(place) < least) {
        place = this.#right(place);
        continue;
      }
      const right = this.#right(place);
      count += this.#weight(place) + this.#count(right);
      sum += this.#key(place) * this.#weight(place) + this.#sum(right);
      place = this.#left(place);
    }
    return { count, sum };
  }

  /** Count and sum of the keys < `limit`. */
  below(limit: number): Tally {
    let count = 0;
    let sum = 0;
    for (let place = this.#root; place !== NOWHERE;) {
      if (this.#key(place) >= limit) {
        place = this.#left(place);
        continue;
      }
      const left = this.#left(place);
      count += this.#weight(place) + this.#count(left);
      sum += this.#key(place) * this.#weight(place) + this.#sum(left);
      place = this.#right(place);
    }
    return { count, sum };
  }

  /** Items with `from` ≤ key < `to`, in order: O(log n + found). */
  between(from: number, to: number): T[] {
    const found: T[] = [];
    this.#collect(this.#root, from, to, found);
    return found;
  }

  #key(place: Place): number {
    return this.#numbers[place * NUMBERS] ?? 0;
  }

  #weight(place: Place): number {
    return this.#numbers[place * NUMBERS + WEIGHT] ?? 0;
  }

  #count(place: Place): number {
    return this.#numbers[place * NUMBERS + COUNT] ?? 0;
  }

  #sum(place: Place): number {
    return this.#numbers[place * NUMBERS + SUM] ?? 0;
  }

  #left(place: Place): Place {
    return this.#links[place * LINKS] ?? NOWHERE;
  }

  #right(place: Place): Place {
    return this.#links[place * LINKS + RIGHT] ?? NOWHERE;
  }

  #priority(place: Place): number {
    return this.#links[place * LINKS + PRIORITY] ?? 0;
  }

  #newPlace(): Place {
    const vacant = this.#vacant;
    if (vacant !== NOWHERE) {
      this.#vacant = this.#left(vacant);
      return vacant;
    }
    const place = this.#items.length;
    if (place * LINKS >= this.#links.length) {
      const places = Math.ceil(place * GROWTH);
      const numbers = new Float64Array(places * NUMBERS);
      const links = new Int32Array(places * LINKS);
      numbers.set(this.#numbers);
      links.set(this.#links);
      this.#numbers = numbers;
      this.#links = links;
    }
    return place;
  }

  #nextPriority(): number {
    this.#random ^= this.#random << 13;
    this.#random ^= this.#random >>> 17;
    this.#random ^= this.#random << 5;
    return this.#random;
  }

  #comesBefore(a: Place, b: Place): boolean {
    const keyA = this.#key(a);
    const keyB = this.#key(b);
    return keyA < keyB || (keyA === keyB && a < b);
  }

  #recount(place: Place): Place {
    const left = this.#left(place);
    const right = this.#right(place);
    const weight = this.#weight(place);
    this.#numbers[place * NUMBERS + COUNT] = this.#count(left) + weight + this.#count(right);
    this.#numbers[place * NUMBERS + SUM] = this.#sum(left) + this.#key(place) * weight + this.#sum(right);
    return place;
  }

  #insert(root: Place, place: Place): Place {
    if (root === NOWHERE) return place;
    if (this.#priority(place) > this.#priority(root)) {
      this.#split(root, place);
      this.#links[place * LINKS] = this.#before;
      this.#links[place * LINKS + RIGHT] = this.#after;
      return this.#recount(place);
    }
    if (this.#comesBefore(place, root)) this.#links[root * LINKS] = this.#insert(this.#left(root), place);
    else this.#links[root * LINKS + RIGHT] = this.#insert(this.#right(root), place);
    return this.#recount(root);
  }

  /** Leaves in `#before` and `#after` what comes before and after `pivot`. */
  #split(root: Place, pivot: Place): void {
    if (root === NOWHERE) {
      this.#before = NOWHERE;
      this.#after = NOWHERE;
    } else if (this.#comesBefore(root, pivot)) {
      this.#split(this.#right(root), pivot);
      this.#links[root * LINKS + RIGHT] = this.#before;
      this.#before = this.#recount(root);
    } else {
      this.#split(this.#left(root), pivot);
      this.#links[root * LINKS] = this.#after;
      this.#after = this.#recount(root);
    }
  }

  #erase(root: Place, place: Place): Place {
    if (root === NOWHERE) throw new Error('the value is not in this order');
    if (root === place) return this.#join(this.#left(root), this.#right(root));
    if (this.#comesBefore(place, root)) this.#links[root * LINKS] = this.#erase(this.#left(root), place);
    else this.#links[root * LINKS + RIGHT] = this.#erase(this.#right(root), place);
    return this.#recount(root);
  }

  /** Joins two trees, all of the first before all of the second. */
  #join(first: Place, second: Place): Place {
    if (first === NOWHERE) return second;
    if (second === NOWHERE) return first;
    if (this.#priority(first) > this.#priority(second)) {
      this.#links[first * LINKS + RIGHT] = this.#join(this.#right(first), second);
      return this.#recount(first);
    }
    this.#links[second * LINKS] = this.#join(first, this.#left(second));
    return this.#recount(second);
  }

  #collect(place: Place, from: number, to: number, found: T[]): void {
    if (place === NOWHERE) return;
    const key = this.#key(place);
    if (key >= from) this.#collect(this.#left(place), from, to, found);
    const item = this.#items[place];
    if (key >= from && key < to && item !== null && item !== undefined) found.push(item);
    if (key < to) this.#collect(this.#right(place), from, to, found);
  }
}

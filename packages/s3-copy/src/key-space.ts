/**
 * Keys as numbers, so that "half-way between two keys" and "how dense is this part" can be asked.
 *
 * A key is read as a number in a mixed-radix system: at each position the digits are the characters that keys have
 * there, as far as they are known. `2026-11-30/obj-0001` and its like then spread evenly, although most of the byte
 * values never occur. Characters are compared by code point, which is their order in UTF-8.
 */

/** Positions after the common prefix that are told apart; further ones weigh nothing in double precision. */
const MAX_POSITIONS = 48;
/** Highest character of an artificial bound: above every key in practice, and a valid one (U+10FFFF is none). */
export const TOP = '\u{10FFFD}';

/** A digit of the system: a character, or END for keys that are over at this position; END comes first. */
const END = -1;
/** Digits in order. */
type Alphabet = readonly number[];

/**
 * Which digits a position is thought to have. `likely`: those seen, and those between two seen ones of a class.
 * `possible`: whole classes of characters, so that a digit which was not seen can be found.
 */
type Reading = 'likely' | 'possible';

/** What is known about the characters of keys, by position. */
export class KeySpace {
  readonly #seen: Set<number>[] = [];
  readonly #alphabets: Record<Reading, (Alphabet | undefined)[]> = { likely: [], possible: [] };

  /** Learns the characters of a key. Bounds that are no keys must not be shown to it. */
  observe(key: string): void {
    let position = 0;
    for (const character of key) this.#see(position++, character.codePointAt(0) ?? 0);
    this.#see(position, END);
  }

  /**
   * Places `key` in [0, 1] by its characters from `from` on. Order is kept for keys with the same beginning.
   * The first character is read among the possible ones, the others as `deeper` says: for an estimate, unseen
   * characters may matter where two keys differ, but would only blur what follows.
   */
  place(key: readonly number[], from: number, deeper: Reading): number {
    let place = 0;
    let width = 1;
    for (let position = from; position < from + MAX_POSITIONS && width > Number.EPSILON; position++) {
      const alphabet = this.#alphabet(position, position === from ? 'possible' : deeper);
      const point = key[position] ?? END;
      width /= Math.max(1, alphabet.length);
      place += width * lowerBound(alphabet, point);
      if (point === END) break;
    }
    return place;
  }

  /** A short text after `beginning` that lies at `place` to within `tolerance`, by the possible characters. */
  textAt(place: number, beginning: readonly number[], tolerance: number): number[] {
    const text = [...beginning];
    let rest = place;
    let width = 1;
    for (let position = beginning.length; position < beginning.length + MAX_POSITIONS; position++) {
      const alphabet = this.#alphabet(position, 'possible');
      width /= Math.max(1, alphabet.length);
      const digit = Math.min(alphabet.length - 1, Math.floor(rest / width));
      const point = alphabet[digit] ?? END;
      if (point === END) break;
      text.push(point);
      rest -= digit * width;
      if (width <= tolerance) break;
    }
    return text;
  }

  #see(position: number, point: number): void {
    const seen = (this.#seen[position] ??= new Set());
    if (seen.has(point)) return;
    seen.add(point);
    this.#alphabets.likely[position] = undefined;
    this.#alphabets.possible[position] = undefined;
  }

  #alphabet(position: number, reading: Reading): Alphabet {
    return (this.#alphabets[reading][position] ??= fill([...(this.#seen[position] ?? [])], reading));
  }
}

/** Characters of a text as code points. */
export function pointsOf(text: string): number[] {
  return Array.from(text, (character) => character.codePointAt(0) ?? 0);
}

/** Text of code points. A surrogate stands for no character; the next one that does is taken. */
export function textOf(points: readonly number[]): string {
  return String.fromCodePoint(...points.map((point) => (point >= 0xd800 && point <= 0xdfff ? 0xe000 : point)));
}

/** Number of characters that two texts have in common at their beginning. */
export function commonLength(left: readonly number[], right: readonly number[]): number {
  let length = 0;
  while (length < left.length && length < right.length && left[length] === right[length]) length++;
  return length;
}

/** Adds the characters that may be there besides those seen: where `3` and `7` occur, `5` is likely and `9` possible. */
function fill(seen: number[], reading: Reading): Alphabet {
  const points = new Set(seen);
  seen.sort((left, right) => left - right);
  for (const [index, point] of seen.entries()) {
    const { low, high } = classOf(point);
    const next = seen[index + 1];
    if (reading === 'possible') addAll(points, low, high);
    else if (next !== undefined && next <= high) addAll(points, point, next);
  }
  return [...points].sort((left, right) => left - right);
}

function addAll(points: Set<number>, low: number, high: number): void {
  for (let point = low; point <= high; point++) points.add(point);
}

/** Digits, capitals and small letters; other characters of ASCII stand for themselves, other scripts go by 32. */
function classOf(point: number): { low: number; high: number } {
  if (point >= 0x30 && point <= 0x39) return { low: 0x30, high: 0x39 };
  if (point >= 0x41 && point <= 0x5a) return { low: 0x41, high: 0x5a };
  if (point >= 0x61 && point <= 0x7a) return { low: 0x61, high: 0x7a };
  if (point < 0x80) return { low: point, high: point };
  const low = point - (point % 32);
  return { low, high: low + 31 };
}

/** Index of the first character that is not below `point`. */
function lowerBound(alphabet: Alphabet, point: number): number {
  let low = 0;
  let high = alphabet.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((alphabet[middle] ?? 0) < point) low = middle + 1;
    else high = middle;
  }
  return low;
}

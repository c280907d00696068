// Globs over keys, in the way of rclone and rsync:
//   *        any run of characters but /         ?      one character but /
//   **       any run of characters               [a-z]  one of these characters, [!a-z] one of the others; never /
//   {a,b}    a or b, nested if need be           \x     the character x itself
//   /x       begins at the source's prefix; without the slash a pattern begins there or after any /
//   x/       everything below x: the same as x/**
//   **/      at the beginning or after a / : any number of folders, or none
// Whatever is left open, as `[a` or `{a,b`, stands for itself. Case matters.
//
// A pattern becomes a small automaton whose states are followed all at once, so that the time is bounded by length of
// the pattern × length of the key. A regular expression of the same meaning goes back over the key for each star, and
// `*a*a*a*a*b` on a long key holds up the whole process.

/** Alternatives that the braces of one pattern may make: beyond this they are a mistake, and cost time for each key. */
const MAX_ALTERNATIVES = 256;
/** Longest pattern, in characters: a key has 1,024 bytes, and escapes double it. */
const MAX_PATTERN_LENGTH = 2_048;

/** Whether a text matches as a whole. */
export type Matcher = (text: string) => boolean;

/**
 * Compiles a glob; see the top of this file for what it may say.
 * @throws RangeError when it is empty, longer than 2,048 characters or stands for more than 256 alternatives.
 */
export function compileGlob(pattern: string): Matcher {
  if (pattern === '') throw new RangeError('is empty; write ** for every key');
  if (pattern.length > MAX_PATTERN_LENGTH) throw new RangeError(`is longer than ${MAX_PATTERN_LENGTH} characters`);
  const alternatives = expandBraces(Array.from(pattern)).map((each) => matcherOf(parse(each)));
  const [first] = alternatives;
  if (alternatives.length === 1 && first !== undefined) return first;
  return (text) => alternatives.some((matches) => matches(text));
}

/** One state of the automaton: what it takes to go on to the next one, or to stay. Characters are code points. */
type State =
  | { kind: 'character'; point: number }
  | { kind: 'one' }
  | { kind: 'class'; negated: boolean; ranges: readonly (readonly [number, number])[] }
  /** Stays within a segment. */
  | { kind: 'run' }
  /** Stays everywhere. */
  | { kind: 'deep' }
  /** At the beginning of a segment: may stop here, or take this segment too. The state after it is always `inFolder`. */
  | { kind: 'folders' }
  | { kind: 'inFolder' };

const SLASH = 0x2f;
const ANY_FOLDERS: readonly State[] = [{ kind: 'folders' }, { kind: 'inFolder' }];

/** The pattern with each of its braces replaced by one of its alternatives, in all combinations. */
function expandBraces(characters: readonly string[]): string[][] {
  for (let open = 0; open < characters.length; open = skip(characters, open)) {
    const braces = characters[open] === '{' ? readBraces(characters, open) : null;
    if (braces === null) continue;
    const heads = braces.alternatives.flatMap((each) => expandBraces(each));
    const tails = expandBraces(characters.slice(braces.end));
    if (heads.length * tails.length > MAX_ALTERNATIVES) {
      throw new RangeError(`stands for more than ${MAX_ALTERNATIVES} alternatives`);
    }
    const before = characters.slice(0, open);
    return heads.flatMap((head) => tails.map((tail) => [...before, ...head, ...tail]));
  }
  return [[...characters]];
}

/** What lies between a brace and its counterpart, split at the commas; null when it is not closed. */
function readBraces(characters: readonly string[], open: number): { alternatives: string[][]; end: number } | null {
  const alternatives: string[][] = [];
  let depth = 0;
  let start = open + 1;
  for (let at = open; at < characters.length; at = skip(characters, at)) {
    const character = characters[at];
    if (character === '{') depth++;
    else if (character === '}') depth--;
    if (depth > 1 || (depth === 1 && character !== ',')) continue;
    alternatives.push(characters.slice(start, at));
    start = at + 1;
    if (depth === 0) return { alternatives, end: at + 1 };
  }
  return null;
}

/** Where the next character begins that means something: escaped ones and those in brackets do not. */
function skip(characters: readonly string[], at: number): number {
  if (characters[at] === '\\') return at + 2;
  const bracket = characters[at] === '[' ? readClass(characters, at) : null;
  return bracket?.end ?? at + 1;
}

function parse(characters: readonly string[]): State[] {
  const isAnchored = characters[0] === '/';
  const states: State[] = isAnchored ? [] : [...ANY_FOLDERS];
  let at = isAnchored ? 1 : 0;
  let segmentBegins = true;
  while (at < characters.length) {
    const stars = countStars(characters, at);
    if (stars > 1 && segmentBegins && characters[at + stars] === '/') {
      states.push(...ANY_FOLDERS);
      at += stars + 1;
      continue;
    }
    segmentBegins = characters[at] === '/';
    if (stars > 0) {
      states.push({ kind: stars === 1 ? 'run' : 'deep' });
      at += stars;
      continue;
    }
    const { state, end } = readState(characters, at);
    states.push(state);
    at = end;
  }
  if (segmentBegins) states.push({ kind: 'deep' });
  return states;
}

function countStars(characters: readonly string[], at: number): number {
  let stars = 0;
  while (characters[at + stars] === '*') stars++;
  return stars;
}

/** Reads what is no star. */
function readState(characters: readonly string[], at: number): { state: State; end: number } {
  const character = characters[at] ?? '';
  const next = characters[at + 1];
  if (character === '\\' && next !== undefined) {
    return { state: { kind: 'character', point: pointOf(next) }, end: at + 2 };
  }
  const bracket = character === '[' ? readClass(characters, at) : null;
  if (bracket !== null) return bracket;
  if (character === '?') return { state: { kind: 'one' }, end: at + 1 };
  return { state: { kind: 'character', point: pointOf(character) }, end: at + 1 };
}

/** Reads `[…]`; null when it is not closed. A `]` that comes first is one of the characters. */
function readClass(characters: readonly string[], start: number): { state: State; end: number } | null {
  const negated = characters[start + 1] === '!' || characters[start + 1] === '^';
  const ranges: [number, number][] = [];
  let at = negated ? start + 2 : start + 1;
  for (let first = true; ; first = false) {
    if (characters[at] === ']' && !first) return { state: { kind: 'class', negated, ranges }, end: at + 1 };
    if (characters[at] === '\\') at++;
    const low = characters[at];
    if (low === undefined) return null;
    const high = characters[at + 2];
    const isRange = characters[at + 1] === '-' && high !== undefined && high !== ']';
    ranges.push([pointOf(low), pointOf(isRange ? high : low)]);
    at += isRange ? 3 : 1;
  }
}

function pointOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}

function matcherOf(states: readonly State[]): Matcher {
  // Most keys are decided by how they begin and end, without the automaton.
  const firstOther = states.findIndex(({ kind }) => kind !== 'character');
  const lastOther = states.findLastIndex(({ kind }) => kind !== 'character');
  const prefix = textOf(firstOther < 0 ? states : states.slice(0, firstOther));
  if (firstOther < 0) return (text) => text === prefix;
  const suffix = textOf(states.slice(lastOther + 1));
  const automaton = new Automaton(states);
  return (text) => text.startsWith(prefix) && text.endsWith(suffix) && automaton.matches(text);
}

function textOf(states: readonly State[]): string {
  return states.map((state) => (state.kind === 'character' ? String.fromCodePoint(state.point) : '')).join('');
}

class Automaton {
  readonly #states: readonly State[];
  /** For each state, and the end, the step in which it was last reached. */
  readonly #reachedIn: Uint32Array;
  #step = 0;
  #reached: number[] = [];

  constructor(states: readonly State[]) {
    this.#states = states;
    this.#reachedIn = new Uint32Array(states.length + 1);
  }

  matches(text: string): boolean {
    if (this.#step > 0x7fff_ffff) {
      this.#reachedIn.fill(0);
      this.#step = 0;
    }
    this.#step++;
    this.#reached = [];
    this.#reach(0);
    for (const character of text) {
      const before = this.#reached;
      if (before.length === 0) return false;
      this.#step++;
      this.#reached = [];
      const point = pointOf(character);
      for (const index of before) this.#advance(index, point);
    }
    return this.#reachedIn[this.#states.length] === this.#step;
  }

  /** Takes one character in one state. */
  #advance(index: number, point: number): void {
    const state = this.#states[index];
    switch (state?.kind) {
      case undefined:
        break;
      case 'character':
        if (state.point === point) this.#reach(index + 1);
        break;
      case 'one':
        if (point !== SLASH) this.#reach(index + 1);
        break;
      case 'class':
        if (point !== SLASH && isIn(point, state.ranges) !== state.negated) this.#reach(index + 1);
        break;
      case 'run':
        if (point !== SLASH) this.#reach(index);
        break;
      case 'deep':
        this.#reach(index);
        break;
      case 'folders':
        this.#reach(point === SLASH ? index : index + 1);
        break;
      case 'inFolder':
        this.#reach(point === SLASH ? index - 1 : index);
        break;
    }
  }

  /** Reaches a state, and those behind it that can be reached without a character. */
  #reach(index: number): void {
    if (this.#reachedIn[index] === this.#step) return;
    this.#reachedIn[index] = this.#step;
    const kind = this.#states[index]?.kind;
    if (kind === undefined) return;
    this.#reached.push(index);
    if (kind === 'run' || kind === 'deep') this.#reach(index + 1);
    else if (kind === 'folders') this.#reach(index + 2);
  }
}

function isIn(point: number, ranges: readonly (readonly [number, number])[]): boolean {
  return ranges.some(([low, high]) => point >= low && point <= high);
}

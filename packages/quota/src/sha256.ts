/**
 * SHA-256 (FIPS 180-4) of a text of ASCII characters, as 64 hex digits. Synchronous and without a host API, because keys are
 * made in every host and on the hot path; only overlong subjects come here.
 */
export function sha256Hex(ascii: string): string {
  const words = pad(ascii);
  const state = Uint32Array.from(INITIAL);
  const schedule = new Uint32Array(64);
  for (let offset = 0; offset < words.length; offset += 16) compress(state, schedule, words, offset);
  return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('');
}

/** The message as big-endian words, with the closing bit and the length in bits. */
function pad(ascii: string): Uint32Array {
  const words = new Uint32Array((((ascii.length + 8) >> 6) + 1) * 16);
  const put = (index: number, byte: number): void => {
    words[index >> 2] = (words[index >> 2] ?? 0) | (byte << (24 - 8 * (index & 3)));
  };
  for (let index = 0; index < ascii.length; index++) put(index, ascii.charCodeAt(index) & 0xff);
  put(ascii.length, 0x80);
  words[words.length - 2] = Math.floor(ascii.length / 0x2000_0000);
  words[words.length - 1] = ascii.length << 3;
  return words;
}

function compress(state: Uint32Array, schedule: Uint32Array, words: Uint32Array, offset: number): void {
  const w = (index: number): number => schedule[index] ?? 0;
  for (let index = 0; index < 16; index++) schedule[index] = words[offset + index] ?? 0;
  for (let index = 16; index < 64; index++) {
    const a = w(index - 15);
    const b = w(index - 2);
    const s0 = rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3);
    const s1 = rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10);
    schedule[index] = w(index - 16) + s0 + w(index - 7) + s1;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let index = 0; index < 64; index++) {
    const choice = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const first = (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + (ROUNDS[index] ?? 0) + w(index)) | 0;
    const second = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((value, index) => {
    state[index] = (state[index] ?? 0) + value;
  });
}

function rotate(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

/** The first `count` primes. */
function primes(count: number): number[] {
  const found: number[] = [];
  for (let candidate = 2; found.length < count; candidate++) {
    if (found.every((prime) => candidate % prime !== 0)) found.push(candidate);
  }
  return found;
}

/** The first 32 bits of the fractional part of a root; doubles are exact enough for roots of primes below 312. */
function fraction(root: number): number {
  return Math.floor((root - Math.floor(root)) * 0x1_0000_0000) | 0;
}

const PRIMES = primes(64);
const INITIAL = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const ROUNDS = PRIMES.map((prime) => fraction(Math.cbrt(prime)));

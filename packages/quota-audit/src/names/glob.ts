/**
 * Whether a text matches a pattern as Redis reads it: `*`, `?`, `[abc]`, `[^a-z]`, `\` before a character that means itself.
 * Time is at most pattern × text, whatever the pattern.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  let at = 0;
  let textAt = 0;
  let starAt = -1;
  let starTextAt = 0;
  while (textAt < text.length) {
    if (pattern[at] === '*') {
      starAt = at;
      starTextAt = textAt;
      at += 1;
      continue;
    }
    const next = matchOne(pattern, at, text[textAt] ?? '');
    if (next !== -1) {
      at = next;
      textAt += 1;
      continue;
    }
    if (starAt === -1) return false;
    // The last star takes one character more.
    starTextAt += 1;
    textAt = starTextAt;
    at = starAt + 1;
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}

/** Where the pattern goes on behind what matches this character; -1 when it does not match. */
function matchOne(pattern: string, at: number, character: string): number {
  const head = pattern[at];
  if (head === undefined) return -1;
  if (head === '?') return at + 1;
  if (head === '[') return matchSet(pattern, at + 1, character);
  if (head === '\\' && at + 1 < pattern.length) return pattern[at + 1] === character ? at + 2 : -1;
  return head === character ? at + 1 : -1;
}

function matchSet(pattern: string, from: number, character: string): number {
  const negated = pattern[from] === '^';
  let at = negated ? from + 1 : from;
  let found = false;
  while (at < pattern.length && pattern[at] !== ']') {
    if (pattern[at] === '\\' && at + 1 < pattern.length) at += 1;
    let low = pattern[at] ?? '';
    let high = low;
    if (pattern[at + 1] === '-' && at + 2 < pattern.length && pattern[at + 2] !== ']') {
      high = pattern[at + 2] ?? '';
      at += 2;
    }
    if (low > high) [low, high] = [high, low];
    if (character >= low && character <= high) found = true;
    at += 1;
  }
  // A set that is never closed ends with the pattern.
  return found === negated ? -1 : Math.min(at + 1, pattern.length);
}

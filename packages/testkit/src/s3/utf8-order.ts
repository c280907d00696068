/**
 * Compares two well-formed strings as S3 orders keys: by their bytes in UTF-8. JavaScript compares UTF-16 code units,
 * which puts U+E000–U+FFFF after the surrogate pairs of U+10000 and above.
 */
export function compareUtf8(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a !== b) return rank(a) - rank(b);
  }
  return left.length - right.length;
}

/** Moves surrogates (D800–DFFF) above all other code units. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}

/**
 * Compares two well-formed strings as S3 orders keys: by their bytes in UTF-8. JavaScript compares UTF-16 code units,
 * which puts U+E000–U+FFFF after the surrogate pairs of U+10000 and above.
 * @returns negative, 0 or positive, as for `Array.prototype.sort`.
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

/** Order of a code unit among those that differ first: surrogates stand for U+10000 and above, so they come last. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}

/**
 * Compares two keys as S3 lists them: by their bytes in UTF-8. That is the order of code points, and not JavaScript's
 * order of UTF-16 units, in which U+FF5E comes after U+1F600.
 * Negative, zero or positive, like a sort comparator.
 */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const unitOfA = a.charCodeAt(index);
    const unitOfB = b.charCodeAt(index);
    if (unitOfA !== unitOfB) return rank(unitOfA) - rank(unitOfB);
  }
  return a.length - b.length;
}

/** Surrogates stand for code points above every other unit, so they are ranked above U+E000–U+FFFF. */
function rank(unit: number): number {
  if (unit < 0xd8_00) return unit;
  return unit < 0xe0_00 ? unit + 0x20_00 : unit - 0x8_00;
}

/** Reads a whole number, also with thousands separated (`10,000`, `10 000`); null: it is none. */
export function parseWhole(text: string): number | null {
  const trimmed = text.trim();
  const plain = /^\d{1,3}([, ]\d{3})+$/.test(trimmed) ? trimmed.replace(/[, ]/g, '') : trimmed;
  if (!/^[+-]?\d+$/.test(plain)) return null;
  const value = Number(plain);
  return Number.isSafeInteger(value) ? value : null;
}

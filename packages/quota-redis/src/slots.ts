const SLOTS = 16_384;
const POLYNOMIAL = 0x10_21;

/** CRC-16/XMODEM of every byte, as the cluster specification of Redis demands. */
const table: Uint16Array = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x80_00) === 0 ? crc << 1 : (crc << 1) ^ POLYNOMIAL;
  return crc & 0xff_ff;
});

const encoder = new TextEncoder();

/**
 * The hash slot of a key, 0 to 16,383: of the part between the first `{` and the next `}` when that is not empty, else of the
 * whole key.
 */
export function slotOf(key: string): number {
  const open = key.indexOf('{');
  const close = open === -1 ? -1 : key.indexOf('}', open + 1);
  const hashed = close > open + 1 ? key.slice(open + 1, close) : key;
  let crc = 0;
  for (const byte of encoder.encode(hashed)) crc = ((crc << 8) & 0xff_ff) ^ (table[((crc >> 8) ^ byte) & 0xff] ?? 0);
  return crc % SLOTS;
}

/**
 * Percent-encoding of keys and query values, byte for byte. No URL parser may touch a key: `new URL` and `fetch` would
 * fold `..`, collapse nothing reliably and re-encode the rest, and the object would arrive under another name.
 */

const HEX = '0123456789ABCDEF';
/** A text that needs no encoding at all: the common case, decided without looking at single bytes. */
const UNRESERVED = /^[A-Za-z0-9\-._~]*$/;
const UNRESERVED_OR_SLASH = /^[A-Za-z0-9\-._~/]*$/;

const UNRESERVED_BYTE = new Uint8Array(256);
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~') {
  UNRESERVED_BYTE[character.charCodeAt(0)] = 1;
}
const SLASH = 0x2f;

/** Encodes a query name or value: everything but the unreserved characters of RFC 3986, as SigV4 wants it. */
export function encodeQueryText(text: string): string {
  return UNRESERVED.test(text) ? text : encodeBytes(text, false);
}

/** Encodes an object key for the path of a request; `/` stays. */
export function encodeKey(key: string): string {
  return UNRESERVED_OR_SLASH.test(key) ? key : encodeBytes(key, true);
}

function encodeBytes(text: string, keepSlash: boolean): string {
  let encoded = '';
  for (const byte of Buffer.from(text, 'utf8')) {
    if (UNRESERVED_BYTE[byte] === 1 || (keepSlash && byte === SLASH)) encoded += String.fromCharCode(byte);
    else encoded += `%${HEX[byte >> 4]}${HEX[byte & 15]}`;
  }
  return encoded;
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lenientUtf8 = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });

/** A key as a listing gave it. `exact` is false when its bytes are no valid UTF-8: `text` is then only for people. */
export interface DecodedKey {
  text: string;
  exact: boolean;
}

/**
 * Decodes a key from a listing with `encoding-type=url`. `+` is a space there (AWS writes it so; a plus sign is `%2B`),
 * and a stray `%` stands for itself.
 */
export function decodeListedKey(encoded: string): DecodedKey {
  if (!encoded.includes('%') && !encoded.includes('+')) return { text: encoded, exact: true };
  const source = Buffer.from(encoded, 'utf8');
  const bytes = Buffer.allocUnsafe(source.length);
  let length = 0;
  for (let index = 0; index < source.length; index++) {
    const byte = source[index] ?? 0;
    const high = byte === 0x25 ? hexValue(source[index + 1]) : -1;
    const low = high >= 0 ? hexValue(source[index + 2]) : -1;
    if (low >= 0) {
      bytes[length++] = high * 16 + low;
      index += 2;
    } else {
      bytes[length++] = byte === 0x2b ? 0x20 : byte;
    }
  }
  const decoded = bytes.subarray(0, length);
  try {
    return { text: strictUtf8.decode(decoded), exact: true };
  } catch {
    return { text: lenientUtf8.decode(decoded), exact: false };
  }
}

function hexValue(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  if (byte >= 0x41 && byte <= 0x46) return byte - 0x37;
  if (byte >= 0x61 && byte <= 0x66) return byte - 0x57;
  return -1;
}

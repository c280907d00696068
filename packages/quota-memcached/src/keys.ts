import { QuotaError } from '@weir/quota';

/** Longest key in bytes, as it goes over the wire. */
export const MAX_KEY_BYTES = 250;

/** Longest key in bytes that has to travel as base64: 248 characters of it. */
export const MAX_BINARY_KEY_BYTES = 186;

/** A key: text (its UTF-8 bytes are meant) or bytes. */
export type Key = string | Uint8Array;

/** A key as it goes over the wire; all texts here are latin1, one character a byte. */
export interface WireKey {
  readonly text: string;
  /** The flag that a base64 key needs, with its leading space; else empty. */
  readonly flag: '' | ' b';
}

/** What the classic protocol gets for keys that it cannot carry, and for keys that begin like this. */
const CLASSIC_PREFIX = '~b64~';

const PLAIN = /^[!-~]{1,250}$/;

/**
 * A key for the meta commands: as it is when it is printable ASCII without spaces, else base64 with the flag `b`. The server
 * decodes it, so other clients and its dumps see the bytes themselves.
 * @throws {QuotaError} `invalid-argument` for an empty key or one that is too long.
 */
export function metaKey(key: Key): WireKey {
  if (typeof key === 'string' && PLAIN.test(key)) return { text: key, flag: '' };
  const bytes = bytesOf(key);
  const latin1 = bytes.toString('latin1');
  if (PLAIN.test(latin1)) return { text: latin1, flag: '' };
  if (bytes.length === 0 || bytes.length > MAX_BINARY_KEY_BYTES) throw badLength(bytes);
  return { text: bytes.toString('base64'), flag: ' b' };
}

/**
 * A key for the classic commands. They know no base64: a key that is not plain is sent as `~b64~` and its base64, and a plain
 * key that begins with `~b64~` likewise, so two keys never become one.
 * @throws {QuotaError} `invalid-argument` for an empty key or one that is too long.
 */
export function classicKey(key: Key): string {
  const bytes = bytesOf(key);
  const latin1 = bytes.toString('latin1');
  if (PLAIN.test(latin1) && !latin1.startsWith(CLASSIC_PREFIX)) return latin1;
  const text = CLASSIC_PREFIX + bytes.toString('base64');
  if (bytes.length === 0 || text.length > MAX_KEY_BYTES) throw badLength(bytes);
  return text;
}

/** The bytes of a key, one latin1 character each. */
export function keyBytes(key: Key): string {
  return bytesOf(key).toString('latin1');
}

function bytesOf(key: Key): Buffer {
  return typeof key === 'string' ? Buffer.from(key, 'utf8') : Buffer.from(key);
}

function badLength(bytes: Buffer): QuotaError {
  return new QuotaError(
    'invalid-argument',
    `memcached takes keys of 1 to ${MAX_KEY_BYTES} printable bytes, or up to ${MAX_BINARY_KEY_BYTES} of any kind, got ${bytes.length}`,
  );
}

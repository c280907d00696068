import { z } from 'zod';
import { MAX_KEY_BYTES } from './limits.ts';

/** Identifier made by the console: lower-case letters, digits, `-` and `_`. */
export const id = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'must be 1–64 characters of a–z, 0–9, - and _');

/** Name shown to people: 1–64 printable characters, no leading or trailing space. */
export const displayName = z
  .string()
  .min(1, 'must not be empty')
  .max(64, 'must have at most 64 characters')
  .regex(/^[^\p{Cc}\p{Cs}\u2028\u2029]+$/u, 'must not contain control characters, line breaks or broken Unicode')
  .refine((name) => name.trim() === name, 'must not start or end with a space');

/** Moment in time, in milliseconds since 1970-01-01T00:00:00Z. */
export const timestampMs = z.number().int().nonnegative();

/** Whole number ≥ 0 that stays exact. */
export const count = z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER);

/** Finite rate ≥ 0. */
export const rate = z.number().nonnegative();

/** Length of a well-formed string in UTF-8, in bytes. */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    bytes += point < 0x80 ? 1 : point < 0x8_00 ? 2 : point < 0x1_00_00 ? 3 : 4;
  }
  return bytes;
}

/** Any legal S3 key: 1–1,024 bytes of UTF-8; nothing is normalised. */
export const objectKey = z
  .string()
  .min(1)
  .max(MAX_KEY_BYTES)
  .refine((key) => key.isWellFormed() && utf8Length(key) <= MAX_KEY_BYTES, {
    error: `must be valid Unicode of at most ${MAX_KEY_BYTES} bytes in UTF-8`,
  });

/** Bucket name as S3 servers accept it (DNS style, plus upper case and `_` that old buckets have). */
export const bucketName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$/, 'must be 2–255 characters of letters, digits, ., - and _');

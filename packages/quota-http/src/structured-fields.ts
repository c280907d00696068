/** Largest integer of a structured field (RFC 9651, 3.3.1): 15 digits. */
export const MAX_FIELD_INTEGER = 999_999_999_999_999;

/**
 * A String of a structured field. What such a string cannot hold (all but printable ASCII) is percent-encoded as UTF-8, and
 * so is `%`, so that two texts never look the same. A lone surrogate becomes U+FFFD.
 */
export function fieldString(text: string): string {
  return `"${fieldText(text).replace(/["\\]/g, '\\$&')}"`;
}

/** The text that a `fieldString` carries, without its quotes and escapes. */
export function fieldText(text: string): string {
  return text.toWellFormed().replace(/[^\x20-\x24\x26-\x7e]+/gu, encodeURIComponent);
}

/** A non-negative Integer of a structured field; larger numbers are cut to the largest that exists. */
export function fieldInteger(value: number): string {
  return String(Math.min(MAX_FIELD_INTEGER, Math.max(0, Math.ceil(value))));
}

/** A Byte Sequence of a structured field, from the UTF-8 of a text. */
export function fieldBytes(text: string): string {
  return `:${btoa(String.fromCharCode(...new TextEncoder().encode(text)))}:`;
}

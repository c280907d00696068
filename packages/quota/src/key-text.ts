/**
 * Text in keys. Characters that mean something to a store or a pattern (`{ } % ~ * ? [ ] \ ^`), spaces, control characters and
 * everything outside ASCII become `%XX` per UTF-8 byte. Half surrogates get the bytes that UTF-8 would give their code
 * point, so two different texts never become one.
 */

const PLAIN = /^[A-Za-z0-9!"#$&'()+,\-./:;<=>@_`|]*$/;
const PLAIN_CHARACTER = /[A-Za-z0-9!"#$&'()+,\-./:;<=>@_`|]/;

/** Escapes; the result is printable ASCII without spaces. */
export function escapeText(text: string): string {
  if (PLAIN.test(text)) return text;
  let escaped = '';
  for (const character of text) {
    if (PLAIN_CHARACTER.test(character)) {
      escaped += character;
      continue;
    }
    for (const byte of utf8(character.codePointAt(0) ?? 0)) {
      escaped += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    }
  }
  return escaped;
}

/** Undoes `escapeText`; `undefined` when the text was not made by it. */
export function unescapeText(escaped: string): string | undefined {
  let text = '';
  for (let index = 0; index < escaped.length;) {
    const character = escaped[index] ?? '';
    if (character !== '%') {
      text += character;
      index += 1;
      continue;
    }
    const first = byteAt(escaped, index);
    const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    let code = length === 1 ? first : first & (0xff >> (length + 1));
    for (let more = 1; more < length; more++) code = code * 64 + (byteAt(escaped, index + 3 * more) & 0x3f);
    if (!(code <= 0x10_ffff)) return undefined;
    text += String.fromCodePoint(code);
    index += 3 * length;
  }
  return escapeText(text) === escaped ? text : undefined;
}

function byteAt(escaped: string, index: number): number {
  const hex = escaped.slice(index, index + 3);
  return /^%[0-9A-F]{2}$/.test(hex) ? Number.parseInt(hex.slice(1), 16) : Number.NaN;
}

function utf8(code: number): number[] {
  if (code < 0x80) return [code];
  if (code < 0x800) return [0xc0 | (code >> 6), 0x80 | (code & 0x3f)];
  if (code < 0x1_0000) return [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)];
  return [0xf0 | (code >> 18), 0x80 | ((code >> 12) & 0x3f), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)];
}

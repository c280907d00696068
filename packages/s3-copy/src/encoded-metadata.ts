/*
 * Metadata beyond ASCII. HTTP carries bytes; what they mean is not agreed. Ceph gives back the bytes that it got; Amazon
 * and Swift keep text and give it back as encoded words (RFC 2047), and Swift reads raw bytes as Latin-1, so that UTF-8
 * arrives garbled there. Encoded words go through everywhere. So bytes are sent as they are to a target that returns them
 * as they are, and as encoded words to all others.
 */

/** A header whose value has bytes outside of ASCII, as a string of bytes. */
export type Header = readonly [name: string, value: string];

// oxlint-disable-next-line no-control-regex -- ASCII is what is asked for
const ASCII = /^[\x00-\x7f]*$/;

/** The user metadata among these headers that is not plain ASCII. */
export function beyondAscii(headers: readonly Header[]): Header[] {
  return headers.filter(([name, value]) => name.startsWith('x-amz-meta-') && !ASCII.test(value));
}

/** The headers with such metadata as encoded words. */
export function asEncodedWords(headers: readonly Header[]): Header[] {
  return headers.map(([name, value]) =>
    name.startsWith('x-amz-meta-') && !ASCII.test(value) ? [name, encodedWords(value)] : [name, value],
  );
}

/** An encoded word may have 75 characters: 12 for its frame, 60 of Base64 for 45 bytes. */
const MAX_WORD_BYTES = 45;

/** A string of bytes as encoded words. Bytes that are no UTF-8 are read as Latin-1. */
export function encodedWords(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  const decoded = bytes.toString('utf8');
  const text = Buffer.from(decoded, 'utf8').equals(bytes) ? decoded : value;
  const words: string[] = [];
  let word = '';
  for (const character of text) {
    if (Buffer.byteLength(word + character) > MAX_WORD_BYTES) {
      words.push(word);
      word = '';
    }
    word += character;
  }
  words.push(word);
  // Blanks between two encoded words belong to neither of them.
  return words.map((each) => `=?UTF-8?B?${Buffer.from(each, 'utf8').toString('base64')}?=`).join(' ');
}

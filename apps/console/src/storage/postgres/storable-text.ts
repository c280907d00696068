/**
 * PostgreSQL's texts cannot hold U+0000, and names of objects can. So U+0000 is kept as U+0001 U+0001, and U+0001 as
 * U+0001 U+0002: different texts stay different, and in the same order.
 */
// oxlint-disable-next-line no-control-regex -- these two are what this file is about
const UNSTORABLE = /[\u0000\u0001]/g;
const ESCAPE = '\u0001';

/** A text in the form that PostgreSQL can keep. */
export function toStorable(text: string): string {
  return text.replace(UNSTORABLE, (character) => (character === ESCAPE ? '\u0001\u0002' : '\u0001\u0001'));
}

/** The text that was made storable. */
export function fromStorable(stored: string): string {
  if (!stored.includes(ESCAPE)) return stored;
  // oxlint-disable-next-line no-control-regex -- see above
  return stored.replace(/\u0001([\u0001\u0002])/g, (_, second: string) => (second === ESCAPE ? '\u0000' : ESCAPE));
}

/**
 * Reading of S3's XML answers. A general parser costs 20 ms for a page of 1,000 keys, more than copying them, and drops
 * or refuses characters that XML 1.0 does not allow. Keys and continuation tokens hold them all the same (Ceph writes
 * U+0001 in a token as `&#x01;`), and a token that has lost a character silently skips part of the bucket.
 */

/** An element: its text, or its children. */
export type XmlNode = string | XmlElement;
export interface XmlElement {
  [name: string]: XmlNode | XmlNode[];
}

/** Deeper than any answer of S3; a bound for answers of others. */
const MAX_DEPTH = 32;

/** A parsed document: the name of its root and what is in it. Null when it is no well-formed XML. */
export function parseXml(body: Buffer): { root: string; content: XmlElement } | null {
  const reader = new XmlReader(body.toString('utf8'));
  const root = reader.nextTag();
  if (root === null || root.type === 'close') return null;
  const content = root.type === 'empty' ? {} : reader.content(root.name, 0);
  if (content === null || reader.nextTag() !== null || !reader.atEnd()) return null;
  return { root: root.name, content: typeof content === 'string' ? {} : content };
}

/** Text of a child; null when there is none. */
export function childText(element: XmlElement, name: string): string | null {
  const child = Object.hasOwn(element, name) ? element[name] : undefined;
  return typeof child === 'string' ? child : null;
}

/** Children of one name, however many there are. */
export function childElements(element: XmlElement, name: string): XmlElement[] {
  const child = element[name];
  const all = Array.isArray(child) ? child : child === undefined ? [] : [child];
  return all.filter((each) => typeof each === 'object');
}

/** Writes text into XML. */
export function escapeXml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

/** By name: some servers do not know the numeric form. */
const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };

interface Tag {
  type: 'open' | 'close' | 'empty';
  name: string;
}

const BLANK = /^\s*$/;
const NAME_END = /[\s/>]/;

class XmlReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  atEnd(): boolean {
    return BLANK.test(this.#text.slice(this.#at));
  }

  /** The next tag when nothing but blanks and declarations come before it; else null. */
  nextTag(): Tag | null {
    const start = this.#text.indexOf('<', this.#at);
    if (start < 0 || !BLANK.test(this.#text.slice(this.#at, start))) return null;
    this.#at = start;
    return this.#skipDeclaration() ? this.nextTag() : this.#tag();
  }

  /** Text or children up to the closing tag of `name`; null when it is not well-formed. */
  content(name: string, depth: number): XmlNode | null {
    if (depth > MAX_DEPTH) return null;
    let text = '';
    let children: XmlElement | null = null;
    for (;;) {
      const start = this.#text.indexOf('<', this.#at);
      if (start < 0) return null;
      if (children === null && start > this.#at) text += decodeEntities(this.#text.slice(this.#at, start));
      this.#at = start;
      if (this.#text.startsWith('<![CDATA[', start)) {
        const end = this.#text.indexOf(']]>', start);
        if (end < 0) return null;
        text += this.#text.slice(start + 9, end);
        this.#at = end + 3;
        continue;
      }
      if (this.#skipDeclaration()) continue;
      const tag = this.#tag();
      if (tag === null) return null;
      if (tag.type === 'close') return tag.name === name ? (children ?? text) : null;
      const child = tag.type === 'empty' ? '' : this.content(tag.name, depth + 1);
      if (child === null) return null;
      children ??= {};
      addChild(children, tag.name, child);
    }
  }

  /** Skips `<?…?>`, `<!--…-->` and `<!…>`. */
  #skipDeclaration(): boolean {
    const mark = this.#text[this.#at + 1];
    if (mark !== '?' && mark !== '!') return false;
    const close = mark === '?' ? '?>' : this.#text.startsWith('<!--', this.#at) ? '-->' : '>';
    const end = this.#text.indexOf(close, this.#at);
    this.#at = end < 0 ? this.#text.length : end + close.length;
    return true;
  }

  /** Reads the tag here; attributes are ignored, a namespace prefix is dropped. */
  #tag(): Tag | null {
    const end = this.#text.indexOf('>', this.#at);
    if (end < 0) return null;
    const closing = this.#text[this.#at + 1] === '/';
    const inner = this.#text.slice(this.#at + (closing ? 2 : 1), end);
    this.#at = end + 1;
    const cut = inner.search(NAME_END);
    const full = cut < 0 ? inner : inner.slice(0, cut);
    const name = full.slice(full.indexOf(':') + 1);
    // No answer of S3 has such an element; as a property it would be no property.
    if (name === '' || name === '__proto__') return null;
    return { name, type: closing ? 'close' : inner.endsWith('/') ? 'empty' : 'open' };
  }
}

function addChild(parent: XmlElement, name: string, child: XmlNode): void {
  const before = Object.hasOwn(parent, name) ? parent[name] : undefined;
  if (before === undefined) parent[name] = child;
  else if (Array.isArray(before)) before.push(child);
  else parent[name] = [before, child];
}

const NAMED: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(lt|gt|amp|quot|apos));/gi, (entity, hex, decimal, name) => {
    if (typeof name === 'string') return NAMED[name.toLowerCase()] ?? entity;
    const point = typeof hex === 'string' ? Number.parseInt(hex, 16) : Number(decimal);
    return point <= 0x10_ffff ? String.fromCodePoint(point) : entity;
  });
}

import { XMLParser } from 'fast-xml-parser';

/**
 * Reading of S3's XML answers. The parser keeps every value a string and decodes entities itself, numeric ones too:
 * continuation tokens of some servers are raw keys with control characters.
 */
const parser = new XMLParser({
  ignoreAttributes: true,
  parseTagValue: false,
  trimValues: false,
  removeNSPrefix: true,
  htmlEntities: true,
});

/** An element: its text, or its children. */
export type XmlNode = string | XmlElement;
export interface XmlElement {
  [name: string]: XmlNode | XmlNode[];
}

/** A parsed document: the name of its root and what is in it. Null when it is no XML. */
export function parseXml(body: Buffer): { root: string; content: XmlElement } | null {
  const text = body.toString('utf8').trimStart();
  if (!text.startsWith('<')) return null;
  let document: XmlElement;
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the shape that the options above make
    document = parser.parse(text) as XmlElement;
  } catch {
    return null;
  }
  for (const [root, content] of Object.entries(document)) {
    if (root.startsWith('?') || root === '#text') continue;
    return { root, content: typeof content === 'object' && !Array.isArray(content) ? content : {} };
  }
  return null;
}

/** Text of a child; null when there is none. */
export function childText(element: XmlElement, name: string): string | null {
  const child = element[name];
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
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

import { parseAddress } from './networks.ts';
import type { Address } from './networks.ts';

/** Which header the trusted proxies write. Only one is read: what they do not write, clients may. */
export type ForwardedHeader = 'x-forwarded-for' | 'forwarded';

/**
 * The hops that a header names, nearest first: the right end was written by the nearest proxy, everything to the left of what
 * trusted proxies wrote is the client's to forge. So the text is read from the right, and forged text to the left (open quotes,
 * a thousand commas) cannot change how the right end reads.
 * @returns `undefined` for a hop that does not say an address (`unknown`, `_hidden`, nonsense).
 */
export function* hopsFromRight(
  header: ForwardedHeader,
  value: string,
): Generator<Address | undefined, void, undefined> {
  let end = value.length;
  while (end >= 0) {
    const comma = header === 'forwarded' ? separatorBefore(value, end, ',') : value.lastIndexOf(',', end - 1);
    // lastIndexOf reads a negative position as 0.
    const start = end === 0 ? 0 : comma + 1;
    const element = value.slice(start, end).trim();
    // RFC 9110 lets a list have empty elements.
    if (element !== '') yield header === 'forwarded' ? addressOfElement(element) : addressOfNode(element);
    end = start - 1;
  }
}

/** Position of the last separator before `end` that is in no quoted string, seen from the right; -1 when there is none. */
function separatorBefore(text: string, end: number, separator: string): number {
  let quoted = false;
  for (let at = end - 1; at >= 0; at--) {
    const char = text[at];
    if (char === '"' && !isEscaped(text, at)) quoted = !quoted;
    else if (char === separator && !quoted) return at;
  }
  return -1;
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text[before] === '\\') before -= 1;
  return (at - before) % 2 === 0;
}

/** The `for` of one element of RFC 7239: `for="[2001:db8::1]:4711";proto=https`. */
function addressOfElement(element: string): Address | undefined {
  let end = element.length;
  while (end >= 0) {
    const start = separatorBefore(element, end, ';') + 1;
    const pair = /^\s*for=(?:"(.*)"|([^"\s]*))\s*$/i.exec(element.slice(start, end));
    const node = pair?.[1]?.replace(/\\(.)/g, '$1') ?? pair?.[2];
    if (node !== undefined) return addressOfNode(node);
    end = start - 1;
  }
  return undefined;
}

/** An address with or without a port: `192.0.2.1:80`, `[2001:db8::1]:80`, `2001:db8::1`. */
function addressOfNode(node: string): Address | undefined {
  const withPort = /^(?:\[([^\]]*)\]|(\d+\.\d+\.\d+\.\d+))(?::\d{1,5})?$/.exec(node);
  return parseAddress(withPort?.[1] ?? withPort?.[2] ?? node);
}

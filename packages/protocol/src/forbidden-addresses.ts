/*
 * Where nobody is sent, whatever name leads there: link-local addresses, at which clouds answer with the credentials of the
 * machine that asks, and the metadata services that live elsewhere. The console holds endpoints, webhooks and stores against
 * this when they are saved and when it connects, agents when they connect: a name that was checked may lead elsewhere later.
 */

/** Link-local IPv4: 169.254.0.0/16. */
const LINK_LOCAL = 0xa9_fe;

/** Metadata of Alibaba Cloud, Oracle Cloud, and the host agent of Azure. */
const METADATA_IPV4: ReadonlySet<number | null> = new Set(
  ['100.100.100.200', '192.0.0.192', '168.63.129.16'].map(ipv4),
);

/** Metadata of AWS, Google Cloud and Oracle Cloud over IPv6, in groups. */
const METADATA_IPV6: ReadonlySet<string> = new Set(
  ['fd00:ec2::254', 'fd20:ce::254', 'fd00:c1::a9fe:a9fe'].map((text) => String(ipv6(text))),
);

/**
 * Whether nothing may connect to an address. IPv4 addresses are recognised inside of IPv6 ones too, in every form that a
 * gateway or the system itself may translate.
 * @param address IPv4 in four decimal numbers, or IPv6, with or without a zone; false for anything else, such as a name
 */
export function isForbiddenAddress(address: string): boolean {
  const [bare = ''] = address.split('%');
  const number = ipv4(bare);
  if (number !== null) return isForbiddenIpv4(number);
  const groups = ipv6(bare);
  if (groups === null) return false;
  const [first = 0] = groups;
  const linkLocal = (first & 0xff_c0) === 0xfe_80;
  return linkLocal || METADATA_IPV6.has(String(groups)) || embeddedIn(groups).some(isForbiddenIpv4);
}

function isForbiddenIpv4(number: number): boolean {
  return number >>> 16 === LINK_LOCAL || METADATA_IPV4.has(number);
}

/** IPv4 addresses that an IPv6 address may be another form of. */
function embeddedIn(groups: readonly number[]): number[] {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = groups;
  const last = together(g, h);
  const found: number[] = [];
  const upper = a + b + c + d;
  // IPv4-compatible, -mapped (::ffff:a.b.c.d) and -translated (::ffff:0:a.b.c.d).
  if (upper === 0 && ((e === 0 && (f === 0 || f === 0xff_ff)) || (e === 0xff_ff && f === 0))) found.push(last);
  // NAT64, with the well-known prefix and with local ones.
  if (a === 0x00_64 && b === 0xff_9b) found.push(last);
  // 6to4, Teredo (the client's address, inverted) and ISATAP.
  if (a === 0x20_02) found.push(together(b, c));
  if (a === 0x20_01 && b === 0) found.push(~last >>> 0);
  if ((e & 0xfd_ff) === 0 && f === 0x5e_fe) found.push(last);
  return found;
}

function together(high: number, low: number): number {
  return high * 65_536 + low;
}

/** Four decimal numbers with dots as one number; null: it is something else. */
function ipv4(text: string): number | null {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255)) return null;
  return parts.reduce((sum, part) => sum * 256 + Number(part), 0);
}

/** The eight groups of an IPv6 address; null: it is something else. */
function ipv6(text: string): number[] | null {
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  const number = dotted === null ? null : ipv4(dotted[2] ?? '');
  if (dotted !== null && number === null) return null;
  const plain =
    number === null ? text : `${dotted?.[1] ?? ''}${(number >>> 16).toString(16)}:${(number & 0xff_ff).toString(16)}`;
  const halves = plain.split('::');
  if (halves.length > 2) return null;
  const [before = [], after = []] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const missing = 8 - before.length - after.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return null;
  const groups = [...before, ...Array.from({ length: missing }, () => '0'), ...after];
  return groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))
    ? groups.map((group) => Number.parseInt(group, 16))
    : null;
}

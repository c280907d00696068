import { BlockList, isIP } from 'node:net';

/**
 * Addresses that no agent is sent to: link-local ones, where clouds answer with the credentials of the machine, and the
 * metadata services that live elsewhere. IPv4 addresses are refused in their IPv6 disguises too.
 */
const forbidden = new BlockList();
forbidden.addSubnet('169.254.0.0', 16, 'ipv4');
// Metadata of Alibaba Cloud, Oracle Cloud, and the host agent of Azure.
for (const address of ['100.100.100.200', '192.0.0.192', '168.63.129.16']) forbidden.addAddress(address, 'ipv4');
forbidden.addSubnet('fe80::', 10, 'ipv6');
forbidden.addAddress('fd00:ec2::254', 'ipv6');
// 169.254/16 as IPv4-compatible, behind NAT64, and as 6to4. IPv4-mapped forms are covered by the IPv4 rules.
forbidden.addSubnet('::a9fe:0', 112, 'ipv6');
forbidden.addSubnet('64:ff9b::a9fe:0', 112, 'ipv6');
forbidden.addSubnet('2002:a9fe::', 32, 'ipv6');

/** Whether an address (IPv4 or IPv6, with or without a zone) may not be used as an endpoint. */
export function isForbiddenAddress(address: string): boolean {
  const [bare = ''] = address.split('%');
  const family = isIP(bare);
  if (family === 0) return false;
  return forbidden.check(bare, family === 4 ? 'ipv4' : 'ipv6');
}

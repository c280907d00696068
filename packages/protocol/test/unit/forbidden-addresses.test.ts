import { BlockList, isIP } from 'node:net';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isForbiddenAddress } from '../../src/index.ts';

test.each([
  '169.254.169.254',
  '169.254.0.1',
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  '0:0:0:0:0:FFFF:A9FE:A9FE',
  '::a9fe:a9fe',
  '::ffff:0:169.254.169.254',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::169.254.169.254',
  '2002:a9fe:a9fe::1',
  '2001:0:1:2:3:4:5601:5601',
  'fd00::5efe:169.254.169.254',
  'fe80::1',
  'fe80::1%eth0',
  'febf::1',
  'fd00:ec2::254',
  'fd20:ce::254',
  'fd00:c1::a9fe:a9fe',
  '100.100.100.200',
  '::ffff:100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
])('%s is a link-local or metadata address', (address) => {
  expect(isForbiddenAddress(address)).toBe(true);
});

test.each([
  '127.0.0.1',
  '10.0.0.1',
  '169.253.255.255',
  '169.255.0.0',
  '::1',
  '::',
  'fec0::1',
  'fd00:ec2::255',
  '2001:db8::1',
  '2001:db8::169.254.169.254',
  'example.org',
  '169.254.169.254.example.org',
  '1:2:3',
  '::1::2',
  '',
])('%s is an address that agents may be sent to, or none', (address) => {
  expect(isForbiddenAddress(address)).toBe(false);
});

test('every form that the system accepts as an address is read as the system reads it', () => {
  const list = new BlockList();
  list.addSubnet('169.254.0.0', 16, 'ipv4');
  list.addSubnet('fe80::', 10, 'ipv6');
  const nearby = fc.tuple(fc.constantFrom(168, 169), fc.constantFrom(253, 254, 255), fc.nat(255), fc.nat(255));
  const dotted = fc.oneof(
    fc.ipV4(),
    nearby.map((parts) => parts.join('.')),
  );
  const mapped = dotted.map((address) => `::ffff:${address}`);
  const local = fc
    .tuple(fc.constantFrom('fe7f', 'fe80', 'FEBF', 'fec0', 'fe80:0:0'), fc.nat(0xff_ff))
    .map(([a, b]) => `${a}::${b.toString(16)}`);
  fc.assert(
    fc.property(fc.oneof(dotted, mapped, local), (address) => {
      fc.pre(isIP(address) !== 0);
      expect(isForbiddenAddress(address)).toBe(list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6'));
    }),
    { numRuns: 2_000 },
  );
});

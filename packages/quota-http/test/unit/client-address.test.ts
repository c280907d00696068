import { MemoryStore, openQuotas } from '@weir/quota';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { clientAddress } from '../../src/client-address.ts';
import type { NodeRequest } from '../../src/client-address.ts';

function request(remoteAddress: string | undefined, headers: NodeRequest['headers'] = {}): NodeRequest {
  return { headers, socket: { remoteAddress } };
}

const trustedProxies = ['10.0.0.0/8', '2001:db8:aaaa::/48'];

/** Whatever a client may send ahead of what the proxies write. */
const forged = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc
    .array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.constantFrom('10.1.1.1', '127.0.0.1', 'unknown', 'for="', '"')), {
      maxLength: 8,
    })
    .map((hops) => hops.join(', ')),
);

test('without trusted proxies the connection decides, whatever headers say', () => {
  const address = clientAddress();
  fc.assert(
    fc.property(forged, (text) => {
      const headers = { 'x-forwarded-for': text, forwarded: text };
      expect(address(request('198.51.100.1', headers))).toBe('198.51.100.1');
    }),
  );
});

test('a client that connects directly cannot pass for another one, though proxies are trusted', () => {
  const address = clientAddress({ trustedProxies });
  fc.assert(
    fc.property(forged, (text) => {
      expect(address(request('198.51.100.1', { 'x-forwarded-for': text }))).toBe('198.51.100.1');
    }),
  );
});

test.each(['x-forwarded-for', 'forwarded'] as const)(
  'behind one or two proxies that append to %s, nothing that a client writes moves its address',
  (header) => {
    const address = clientAddress({ trustedProxies, header });
    const element = (node: string): string => (header === 'forwarded' ? `for="${node}"` : node);
    fc.assert(
      fc.property(forged, fc.boolean(), (text, twoProxies) => {
        const written = [text, element('203.0.113.9'), ...(twoProxies ? [element('10.0.0.7')] : [])].join(', ');
        expect(address(request('10.0.0.1', { [header]: written }))).toBe('203.0.113.9');
      }),
      { numRuns: 500 },
    );
  },
);

test('the header that the proxies do not write is never read', () => {
  const headers = { 'x-forwarded-for': '203.0.113.1', forwarded: 'for=203.0.113.2' };
  expect(clientAddress({ trustedProxies })(request('10.0.0.1', headers))).toBe('203.0.113.1');
  expect(clientAddress({ trustedProxies, header: 'forwarded' })(request('10.0.0.1', headers))).toBe('203.0.113.2');
  expect(clientAddress({ trustedProxies })(request('10.0.0.1', { forwarded: 'for=203.0.113.2' }))).toBe('10.0.0.1');
});

test('where a trusted proxy does not know its client, the proxy is charged', () => {
  const address = clientAddress({ trustedProxies });
  expect(address(request('10.0.0.1', { 'x-forwarded-for': '203.0.113.1, unknown' }))).toBe('10.0.0.1');
  expect(address(request('10.0.0.1', { 'x-forwarded-for': 'unknown, 10.0.0.2' }))).toBe('10.0.0.2');
});

test('a call from inside the trusted networks is charged to its own address', () => {
  expect(clientAddress({ trustedProxies })(request('10.0.0.1', { 'x-forwarded-for': '10.9.9.9' }))).toBe('10.9.9.9');
});

test('a chain without end is not walked to its end', () => {
  const endless = Array.from({ length: 5_000 }, (_, at) => `10.0.${at >> 8}.${at & 255}`).join(',');
  expect(clientAddress({ trustedProxies })(request('10.0.0.1', { 'x-forwarded-for': endless }))).toBe('10.0.19.104');
});

test('header lines that arrive apart are one list', () => {
  const headers = { 'x-forwarded-for': ['203.0.113.1', '203.0.113.2, 10.0.0.2'] };
  expect(clientAddress({ trustedProxies })(request('10.0.0.1', headers))).toBe('203.0.113.2');
});

test('all addresses of one IPv6 prefix are one client; mapped IPv4 is IPv4', () => {
  const address = clientAddress({ trustedProxies });
  expect(address(request('2001:db8:1:2:3:4:5:6'))).toBe('2001:db8:1:2::');
  expect(address(request('2001:db8:1:2:ffff::1'))).toBe('2001:db8:1:2::');
  expect(address(request('::ffff:192.0.2.1'))).toBe('192.0.2.1');
  expect(address(request('::ffff:10.0.0.1', { 'x-forwarded-for': '203.0.113.1' }))).toBe('203.0.113.1');
  expect(clientAddress({ ipv6Prefix: 56 })(request('2001:db8:1:2ff::1'))).toBe('2001:db8:1:200::');
  expect(clientAddress({ ipv6Prefix: 128 })(request('2001:db8:1:2::1'))).toBe('2001:db8:1:2::1');
});

test('quotas of addresses and quotas of texts count the same client', async () => {
  const quotas = openQuotas({ store: new MemoryStore(), healthEveryMs: 0 });
  const address = clientAddress();
  for (const subjects of ['text', 'address'] as const) {
    const quota = quotas.define({ id: subjects, limit: 1, period: 'month', subjects });
    expect((await quota.take(address(request('2001:db8:1:2::1')))).allowed).toBe(true);
    expect((await quota.take(address(request('2001:db8:1:2::2')))).allowed).toBe(false);
  }
  await quotas.close();
});

test('fetch headers and other connections are read through `connection`', () => {
  const address = clientAddress({
    trustedProxies,
    connection: (call: Request, peer: string) => ({ peer, headers: call.headers }),
  });
  const call = new Request('http://api.test/', { headers: { 'X-Forwarded-For': '203.0.113.5' } });
  expect(address(call, '10.0.0.1')).toBe('203.0.113.5');
  expect(address(new Request('http://api.test/'), '10.0.0.1')).toBe('10.0.0.1');
});

test('a connection without an address is an error, never an exemption', () => {
  expect(() => clientAddress()(request(undefined))).toThrow(expect.objectContaining({ code: 'invalid-subject' }));
});

test('a wrong list or prefix is refused when it is written, not when the first request comes', () => {
  expect(() => clientAddress({ trustedProxies: ['10.0.0.0/40'] })).toThrow(
    expect.objectContaining({ code: 'invalid-argument' }),
  );
  expect(() => clientAddress({ ipv6Prefix: 0 })).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
});

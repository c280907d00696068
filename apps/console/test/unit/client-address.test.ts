import * as fc from 'fast-check';
import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { clientBehind, nameClient } from '../../src/http/client-address.ts';

const TRUSTED = ['10.0.0.0/8', '192.0.2.7', 'fd00::/8'];

function request(remoteAddress: string | undefined, headers: IncomingMessage['headers']): IncomingMessage {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parts that are looked at
  return { socket: { remoteAddress }, headers } as unknown as IncomingMessage;
}

const from = (peer: string, forwarded: string, trusted = TRUSTED): string | undefined =>
  clientBehind(trusted)(request(peer, { 'x-forwarded-for': forwarded }));

test('without trusted proxies nothing is read from headers', () => {
  expect(from('10.0.0.1', '203.0.113.9', [])).toBeUndefined();
});

test('the client is the first address from the right that no trusted proxy has', () => {
  expect(from('10.0.0.1', '203.0.113.9')).toBe('203.0.113.9');
  expect(from('10.0.0.1', '198.51.100.1, 203.0.113.9, 192.0.2.7')).toBe('203.0.113.9');
  expect(from('::ffff:10.0.0.1', '203.0.113.9')).toBe('203.0.113.9');
  expect(from('fd00::1', '2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2:3:4:5:6');
});

test('what a client that is no proxy of ours says is not believed', () => {
  expect(from('203.0.113.9', '198.51.100.1')).toBe('203.0.113.9');
});

test('no text that a client writes before what the proxies add moves it to another address', () => {
  const forged = fc.oneof(fc.string({ maxLength: 60 }), fc.ipV4(), fc.ipV6(), fc.constant('10.0.0.3, 10.0.0.4'));
  fc.assert(
    fc.property(fc.array(forged, { maxLength: 40 }), (parts) => {
      const header = [...parts, '203.0.113.9', '10.1.2.3'].join(', ');
      expect(from('10.0.0.1', header)).toBe('203.0.113.9');
    }),
  );
});

test('of all that proxies and clients say in headers, one address is left', () => {
  const headers = {
    host: 'weir.example',
    'x-forwarded-for': '203.0.113.9',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
    forwarded: 'for=198.51.100.1',
    'x-real-ip': '198.51.100.2',
  };
  const named = request('10.0.0.1', { ...headers });
  nameClient(named, clientBehind(TRUSTED)(named));
  expect(named.headers).toEqual({ host: 'weir.example', 'x-forwarded-for': '203.0.113.9' });
  const direct = request('10.0.0.1', { ...headers });
  nameClient(direct, clientBehind([])(direct));
  expect(direct.headers).toEqual({ host: 'weir.example' });
});

test('a connection that has ended has no address, and breaks nothing', () => {
  expect(clientBehind(TRUSTED)(request(undefined, { 'x-forwarded-for': '203.0.113.9' }))).toBeUndefined();
});

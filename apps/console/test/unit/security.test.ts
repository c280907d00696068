import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { aesSecretBox } from '../../src/security/aes-secret-box.ts';
import { systemRandom } from '../../src/security/random-source.ts';
import { scryptHasher } from '../../src/security/scrypt-hasher.ts';
import { ownLimiters } from '../../src/security/own-limiters.ts';
import { FakeClock } from '../support/fake-clock.ts';

function flipped(text: string): string {
  return (text.startsWith('A') ? 'B' : 'A') + text.slice(1);
}

test('a sealed secret opens again for its own row, and for no other row or key', () => {
  const box = aesSecretBox(systemRandom.secret());
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (secret) => {
      const sealed = box.seal(secret, 'endpoint:1');
      expect(box.open(sealed, 'endpoint:1')).toBe(secret);
      expect(() => box.open(sealed, 'endpoint:2')).toThrow('cannot be decrypted');
      expect(() => aesSecretBox(systemRandom.secret()).open(sealed, 'endpoint:1')).toThrow('cannot be decrypted');
    }),
  );
});

test('a sealed secret does not show the secret and is different each time', () => {
  const box = aesSecretBox(systemRandom.secret());
  const sealed = box.seal('hunter2', 'x');
  expect(sealed).not.toContain('hunter2');
  expect(sealed).not.toContain(Buffer.from('hunter2').toString('base64url'));
  expect(box.seal('hunter2', 'x')).not.toBe(sealed);
});

test('a changed or truncated sealed secret is refused', () => {
  const box = aesSecretBox(systemRandom.secret());
  const [version = '', nonce = '', tag = '', body = ''] = box.seal('hunter2', 'x').split('.');
  expect(() => box.open([version, nonce, tag, flipped(body)].join('.'), 'x')).toThrow('cannot be decrypted');
  expect(() => box.open([version, nonce, flipped(tag), body].join('.'), 'x')).toThrow('cannot be decrypted');
  expect(() => box.open([version, nonce, tag.slice(0, 6), body].join('.'), 'x')).toThrow('cannot be decrypted');
  expect(() => box.open('hunter2', 'x')).toThrow('not in a form');
});

test('a password matches its own hash only, and a missing account matches nothing', async () => {
  const hasher = scryptHasher();
  const hash = await hasher.hash('correct horse');
  expect(hash).not.toContain('correct');
  expect(await hasher.verify('correct horse', hash)).toBe(true);
  expect(await hasher.verify('correct hors', hash)).toBe(false);
  expect(await hasher.verify('correct horse', null)).toBe(false);
  expect(await hasher.verify('', 'scrypt$$')).toBe(false);
});

test('five attempts a minute for each address and user, others are not affected, success forgets', async () => {
  const clock = new FakeClock();
  const limiter = ownLimiters(clock, () => undefined).logins;
  for (let n = 0; n < 5; n += 1) expect(await limiter.attempt('1.1.1.1', 'admin')).toBeNull();
  expect(await limiter.attempt('1.1.1.1', 'admin')).toBe(60_000);
  expect(await limiter.attempt('2.2.2.2', 'admin')).toBeNull();
  expect(await limiter.attempt('1.1.1.1', 'other')).toBeNull();
  await clock.advance(59_999);
  expect(await limiter.attempt('1.1.1.1', 'admin')).toBe(1);
  await clock.advance(1);
  expect(await limiter.attempt('1.1.1.1', 'admin')).toBeNull();
  await limiter.succeeded('1.1.1.1', 'admin');
  for (let n = 0; n < 5; n += 1) expect(await limiter.attempt('1.1.1.1', 'admin')).toBeNull();
  await limiter.close();
});

test('one address tries at most thirty names a minute, however it writes itself', async () => {
  const limiter = ownLimiters(new FakeClock(), () => undefined).logins;
  for (let n = 0; n < 30; n += 1) expect(await limiter.attempt('9.9.9.9', `user${n}`)).toBeNull();
  expect(await limiter.attempt('9.9.9.9', 'admin')).toBe(60_000);
  expect(await limiter.attempt('::ffff:9.9.9.9', 'admin')).toBe(60_000);
  expect(await limiter.attempt('9.9.9.8', 'admin')).toBeNull();
  await limiter.close();
});

test('a flood of names does not lift the bound of the pair that was attempted last', async () => {
  const limiter = ownLimiters(new FakeClock(), () => undefined).logins;
  for (let n = 0; n < 25_000; n += 1) await limiter.attempt(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`, `user${n}`);
  for (let n = 0; n < 5; n += 1) await limiter.attempt('1.1.1.1', 'admin');
  expect(await limiter.attempt('1.1.1.1', 'admin')).not.toBeNull();
  await limiter.close();
});

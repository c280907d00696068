import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import type { PasswordHasher } from '../ports/password-hasher.ts';

/** Cost: N = 2^15, r = 8, p = 1 takes about 32 MiB and 60 ms, which is slow for guessing and fine for a login. */
const COST = { N: 32_768, r: 8, p: 1, maxmem: 64 * 1_048_576 };
const KEY_BYTES = 32;
const SALT_BYTES = 16;

function derive(password: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, KEY_BYTES, COST, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

/** Passwords as `scrypt$<salt>$<key>`, both base64url. One at a time, so that many logins cannot take all memory. */
export function scryptHasher(): PasswordHasher {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  const inTurn = async <T>(run: () => Promise<T>): Promise<T> => {
    waiting += 1;
    const turn = last.then(run, run).finally(() => (waiting -= 1));
    last = turn.catch(() => undefined);
    return turn;
  };
  return {
    get waiting() {
      return waiting;
    },
    async hash(password) {
      const salt = randomBytes(SALT_BYTES);
      const key = await inTurn(() => derive(password, salt));
      return ['scrypt', salt.toString('base64url'), key.toString('base64url')].join('$');
    },
    async verify(password, hash) {
      const [kind, salt, key] = (hash ?? '').split('$');
      const known = kind === 'scrypt' && salt !== undefined && key !== undefined;
      const derived = await inTurn(() =>
        derive(password, known ? Buffer.from(salt, 'base64url') : randomBytes(SALT_BYTES)),
      );
      if (!known) return false;
      const expected = Buffer.from(key, 'base64url');
      return expected.length === derived.length && timingSafeEqual(expected, derived);
    },
  };
}

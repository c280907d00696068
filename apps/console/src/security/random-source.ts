import { randomBytes } from 'node:crypto';
import type { Random } from '../ports/random.ts';

/** The operating system's cryptographic randomness. */
export const systemRandom: Random = {
  id: (prefix) => `${prefix}_${randomBytes(10).toString('hex')}`,
  secret: () => randomBytes(32).toString('base64url'),
};

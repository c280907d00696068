import { createHash, createHmac, hash, timingSafeEqual } from 'node:crypto';

/** SHA-256 of a secret that is itself random, hex: what is stored of an agent's credential. */
export function digestOf(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** Keyed hash of a session token, hex: a stolen database alone cannot tell which cookie belongs to it. */
export function keyedDigestOf(token: string, key: string): string {
  return createHmac('sha256', key).update(token).digest('hex');
}

/** Compares two secrets in a time that does not depend on where they differ. */
export function sameSecret(a: string, b: string): boolean {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());
}

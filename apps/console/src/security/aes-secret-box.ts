import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { SecretBox } from '../ports/secret-box.ts';

const VERSION = 'v1';
/** 96 bits, as AES-GCM wants them; random, which is safe for 2^32 secrets under one key. */
const NONCE_BYTES = 12;

/**
 * AES-256-GCM. The row and field are authenticated with the secret, so that one row's secret cannot be moved to another.
 * @param key 32 bytes, base64url
 */
export function aesSecretBox(key: string): SecretBox {
  const keyBytes = Buffer.from(key, 'base64url');
  return {
    seal(plain, boundTo) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', keyBytes, nonce).setAAD(Buffer.from(boundTo));
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return [VERSION, ...[nonce, cipher.getAuthTag(), body].map((part) => part.toString('base64url'))].join('.');
    },
    open(sealed, boundTo) {
      const [version, nonce, tag, body] = sealed.split('.');
      if (version !== VERSION || nonce === undefined || tag === undefined || body === undefined) {
        throw new Error(`The secret of ${boundTo} is not in a form that this version of the console can read.`);
      }
      try {
        const decipher = createDecipheriv('aes-256-gcm', keyBytes, Buffer.from(nonce, 'base64url'), {
          authTagLength: 16,
        });
        decipher.setAAD(Buffer.from(boundTo)).setAuthTag(Buffer.from(tag, 'base64url'));
        return Buffer.concat([decipher.update(Buffer.from(body, 'base64url')), decipher.final()]).toString('utf8');
      } catch (cause) {
        throw new Error(`The secret of ${boundTo} cannot be decrypted: it was changed, or the key is another one.`, {
          cause,
        });
      }
    },
  };
}

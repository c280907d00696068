import { createHash, createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { signedManifest, type ManifestBody, type ManifestKey } from '@weir/protocol';
import type { ManifestSigner } from '../ports/manifest-signer.ts';

/**
 * The one text that stands for a JSON value, so that a signature survives being parsed and written again: members sorted by
 * their UTF-16 code units, no spaces, numbers and strings as JSON.stringify writes them (as in RFC 8785).
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value);
}

/** SHA-256 of a text in UTF-8, in hex. */
export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Signs with an Ed25519 key in PEM (PKCS #8). @throws Error when it is another kind of key */
export function manifestSigner(privateKeyPem: string): ManifestSigner {
  const privateKey = createPrivateKey(privateKeyPem);
  if (privateKey.asymmetricKeyType !== 'ed25519') throw new Error('the manifest key is not an Ed25519 key');
  return {
    key: describeKey(createPublicKey(privateKey)),
    sign: (manifest) => sign(null, Buffer.from(canonicalJson(manifest)), privateKey).toString('base64'),
  };
}

function describeKey(publicKey: KeyObject): ManifestKey {
  const der = publicKey.export({ type: 'spki', format: 'der' });
  const keyId = createHash('sha256').update(der).digest('hex').slice(0, 16);
  return { algorithm: 'Ed25519', keyId, publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString() };
}

/** What a check of a manifest found. */
export type ManifestCheck =
  | { ok: true; manifest: ManifestBody; key: ManifestKey }
  /**
   * `malformed`: not a signed manifest · `other-key`: signed by another key than the trusted one · `wrong-signature`: changed
   * since it was signed.
   */
  | { ok: false; reason: 'malformed' | 'other-key' | 'wrong-signature'; message: string };

/**
 * Checks the signature of a manifest as `GET /api/v1/jobs/:jobId/manifest` answers it.
 * @param document the parsed JSON
 * @param trustedPublicKey PEM of the key that must have signed; absent: the key in the document, which only shows that the
 * document is whole, not who signed it
 */
export function verifyManifest(document: unknown, trustedPublicKey?: string): ManifestCheck {
  const parsed = signedManifest.safeParse(document);
  if (!parsed.success) {
    const where = parsed.error.issues[0]?.path.join('.') ?? '';
    return { ok: false, reason: 'malformed', message: `this is not a signed manifest (${where || 'the document'})` };
  }
  const { manifest, key, signature } = parsed.data;
  let signer: KeyObject;
  try {
    signer = createPublicKey(key.publicKey);
    if (trustedPublicKey !== undefined && !createPublicKey(trustedPublicKey).equals(signer)) {
      return {
        ok: false,
        reason: 'other-key',
        message: `signed by the key ${key.keyId}, which is not the trusted one`,
      };
    }
  } catch {
    return { ok: false, reason: 'malformed', message: 'the public key is not a key in PEM' };
  }
  // What was received, not what the schema made of it: members that it does not know are signed too.
  const signed = Reflect.get(Object(document), 'manifest');
  const whole =
    signer.asymmetricKeyType === 'ed25519' &&
    verify(null, Buffer.from(canonicalJson(signed)), signer, Buffer.from(signature, 'base64'));
  if (!whole) return { ok: false, reason: 'wrong-signature', message: 'it was changed after it was signed' };
  return { ok: true, manifest, key: describeKey(signer) };
}

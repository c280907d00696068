import { createHash, createHmac, hash } from 'node:crypto';

/**
 * AWS Signature Version 4 for S3, as described in "Authenticating Requests (AWS Signature Version 4)" of the S3 API
 * reference. S3 differs from the other services: the path is neither normalised nor encoded a second time.
 * Header values are strings of bytes (latin1), so that metadata in any encoding is signed exactly as it is sent.
 */

/** Access to one endpoint. */
export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  /** For temporary credentials. */
  sessionToken?: string;
}

/** Value of `x-amz-content-sha256` for a body that is not part of the signature. */
export const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD';
/** Hex SHA-256 of nothing. */
export const EMPTY_PAYLOAD_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** A request as it is signed. */
export interface SignableRequest {
  method: string;
  /** Percent-encoded path, as it is sent. */
  path: string;
  /** Canonical query: encoded `name=value` pairs in order, joined by `&`, as it is sent; empty for none. */
  query: string;
  /** Headers to sign: lower-case names, each once, in any order; must contain `host` and every `x-amz-*`. */
  headers: readonly (readonly [name: string, value: string])[];
  /** Hex SHA-256 of the body, or `UNSIGNED-PAYLOAD`. */
  payloadHash: string;
}

/** Hex SHA-256 of bytes, or of a string of bytes. */
export function sha256Hex(data: Uint8Array | string): string {
  // `hash` in one shot costs half of `createHash`; a string is taken as UTF-8 there, hence the copy for latin1.
  return hash('sha256', typeof data === 'string' ? Buffer.from(data, 'latin1') : data, 'hex');
}

/** Time as SigV4 writes it, such as `20261130T070000Z`. */
export function amzDate(timeMs: number): string {
  const iso = new Date(timeMs).toISOString();
  return `${iso.slice(0, 4)}${iso.slice(5, 7)}${iso.slice(8, 13)}${iso.slice(14, 16)}${iso.slice(17, 19)}Z`;
}

/** The canonical form of a request, and the names that are signed. */
export function canonicalRequest(request: SignableRequest): { text: string; signedHeaders: string } {
  const headers = request.headers.toSorted(([left], [right]) => (left < right ? -1 : 1));
  let lines = '';
  for (const [name, value] of headers) lines += `${name}:${canonicalValue(value)}\n`;
  const signedHeaders = headers.map(([name]) => name).join(';');
  const text = `${request.method}\n${request.path}\n${request.query}\n${lines}\n${signedHeaders}\n${request.payloadHash}`;
  return { text, signedHeaders };
}

/** Spaces around a value are dropped and those inside are folded to one. */
function canonicalValue(value: string): string {
  const trimmed = value.trim();
  return trimmed.includes('  ') ? trimmed.replaceAll(/ +/g, ' ') : trimmed;
}

/** The key that signs all requests of one day, region and service. */
export function deriveSigningKey(secretAccessKey: string, date: string, region: string, service: string): Buffer {
  const parts = [date, region, service, 'aws4_request'];
  return parts.reduce<Buffer>((key, part) => hmac(key, part), Buffer.from(`AWS4${secretAccessKey}`, 'utf8'));
}

function hmac(key: Buffer, data: string): Buffer {
  return createHmac('sha256', key).update(data, 'utf8').digest();
}

/** Signs requests of one set of credentials; keeps the signing key of the day, which costs four HMACs to derive. */
export class Signer {
  readonly #credentials: Credentials;
  readonly #region: string;
  readonly #service: string;
  #date = '';
  #key: Buffer = Buffer.alloc(0);

  constructor(credentials: Credentials, region: string, service = 's3') {
    this.#credentials = credentials;
    this.#region = region;
    this.#service = service;
  }

  /** Value of the Authorization header. `date` is that of the request's `x-amz-date` header. */
  authorization(request: SignableRequest, date: string): string {
    const day = date.slice(0, 8);
    if (day !== this.#date) {
      this.#key = deriveSigningKey(this.#credentials.secretAccessKey, day, this.#region, this.#service);
      this.#date = day;
    }
    const scope = `${day}/${this.#region}/${this.#service}/aws4_request`;
    const canonical = canonicalRequest(request);
    const toSign = `AWS4-HMAC-SHA256\n${date}\n${scope}\n${sha256Hex(canonical.text)}`;
    const signature = createHmac('sha256', this.#key).update(toSign, 'utf8').digest('hex');
    return (
      `AWS4-HMAC-SHA256 Credential=${this.#credentials.accessKeyId}/${scope}, ` +
      `SignedHeaders=${canonical.signedHeaders}, Signature=${signature}`
    );
  }
}

/** MD5 that is fed while a body streams by. */
export function createMd5(): { update(chunk: Uint8Array): void; digest(): Buffer } {
  const md5 = createHash('md5');
  return { update: (chunk) => void md5.update(chunk), digest: () => md5.digest() };
}

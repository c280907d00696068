import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { etagIsOpaque, md5OfEtag } from './etag.ts';
import type { Verification } from './manifest.ts';
import type { ResponseHeaders } from './response-headers.ts';

/** A checksum of a whole object that a source keeps besides the ETag. */
export interface KeptChecksum {
  algorithm: 'crc32' | 'sha1' | 'sha256';
  /** Base64, as in the header. */
  value: string;
}

/** Those that this runtime computes fast; the dearest comes last. */
const ALGORITHMS = ['crc32', 'sha1', 'sha256'] as const;
/** Base64 of a checksum over the object; one over the checksums of its parts has `-n` behind it. */
const WHOLE = /^[A-Za-z0-9+/]+=*$/;

/** The checksum that an answer to `x-amz-checksum-mode: ENABLED` brings; null for none that can be computed here. */
export function keptChecksum(headers: ResponseHeaders): KeptChecksum | null {
  if (headers.get('x-amz-checksum-type') === 'COMPOSITE') return null;
  for (const algorithm of ALGORITHMS) {
    const value = headers.get(`x-amz-checksum-${algorithm}`);
    if (value !== null && WHOLE.test(value)) return { algorithm, value };
  }
  return null;
}

/** What the bytes of a body add up to: always their MD5, and the checksum that the source keeps where there is one. */
export class BodyDigest {
  readonly #md5 = createHash('md5');
  readonly #checksum: KeptChecksum | null;
  readonly #other: ReturnType<typeof createHash> | null;
  #crc = 0;

  constructor(checksum: KeptChecksum | null) {
    this.#checksum = checksum;
    this.#other = checksum === null || checksum.algorithm === 'crc32' ? null : createHash(checksum.algorithm);
  }

  update(chunk: Uint8Array): void {
    this.#md5.update(chunk);
    this.#other?.update(chunk);
    if (this.#checksum?.algorithm === 'crc32') this.#crc = crc32(chunk, this.#crc);
  }

  /** Ends it; only once. */
  end(): DigestedBody {
    const md5 = this.#md5.digest();
    if (this.#checksum === null) return { md5, checksum: null };
    const { algorithm, value: expected } = this.#checksum;
    const actual = this.#other === null ? crcBase64(this.#crc) : this.#other.digest('base64');
    return { md5, checksum: { algorithm, expected, actual } };
  }
}

export interface DigestedBody {
  md5: Buffer;
  checksum: { algorithm: string; expected: string; actual: string } | null;
}

function crcBase64(crc: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc);
  return bytes.toString('base64');
}

/**
 * Compares what was read with what the source says of it.
 * @returns how sure that makes us, or what is wrong.
 */
export function judgeRead(
  body: DigestedBody,
  source: { etag: string; headers: ResponseHeaders },
  verifyEtags: boolean,
): { verified: Verification } | { mismatch: string } {
  const { md5, checksum } = body;
  if (checksum !== null && checksum.expected !== checksum.actual) {
    return { mismatch: `${checksum.algorithm.toUpperCase()} ${checksum.actual} instead of ${checksum.expected}` };
  }
  const expected = verifyEtags && !etagIsOpaque(source.headers) ? md5OfEtag(source.etag) : null;
  const actual = md5.toString('hex');
  if (expected !== null && expected !== actual) return { mismatch: `MD5 ${actual} instead of ${expected}` };
  if (expected !== null) return { verified: 'md5' };
  return { verified: checksum === null ? 'parts' : 'checksum' };
}

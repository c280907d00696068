import { hash } from 'node:crypto';

/**
 * How well the copy is known to be its source.
 * `md5`: the source's MD5 is that of the bytes read, and the target acknowledged the same bytes ·
 * `etag`: both sides name the same multipart ETag, which is made of the MD5s of the same parts ·
 * `checksum`: the bytes read have the CRC or SHA that the source keeps ·
 * `parts`: the target acknowledged the MD5 of every byte that was read, and the source had nothing to compare with ·
 * `size`: only as long as its source · `none`: nothing was copied.
 */
export type Verification = 'md5' | 'etag' | 'checksum' | 'parts' | 'size' | 'none';

/** One object that is done, as it stands in the manifest. */
export interface ManifestEntry {
  /** Key at the source. */
  key: string;
  /** Null when it was never known. */
  sizeBytes: number | null;
  /** ETag at the target without quotes; empty when unknown. */
  etag: string;
  verified: Verification;
  action: 'copied' | 'skipped' | 'failed';
}

/** A chain of entries: its digest (hex SHA-256) and how many it has. */
export interface ManifestState {
  digest: string;
  entries: number;
}

/** The chain without entries: 32 zero bytes. */
export const EMPTY_MANIFEST: Readonly<ManifestState> = { digest: '0'.repeat(64), entries: 0 };

/**
 * One entry as text: a JSON array of key, size, ETag, verification and action, without blanks. A line of a manifest file
 * is this text, and the digest is computed over its UTF-8 bytes.
 */
export function manifestLine(entry: ManifestEntry): string {
  return JSON.stringify([entry.key, entry.sizeBytes, entry.etag, entry.verified, entry.action]);
}

/**
 * The chain with one line more: `digest' = SHA-256(digest ‖ line)`. Whoever has the lines can compute it again, and a
 * run that continues from a checkpoint continues its chain.
 * @throws RangeError when the digest is no hex SHA-256.
 */
export function chainLine(state: Readonly<ManifestState>, line: string): ManifestState {
  const chain = new ManifestChain(state);
  chain.add(line);
  return chain.state();
}

/** A chain that grows in place: one hash per entry and no text until it is asked for. */
export class ManifestChain {
  #digest: Buffer;
  #entries: number;

  constructor(start: Readonly<ManifestState>) {
    if (!/^[0-9a-f]{64}$/.test(start.digest)) throw new RangeError(`not a SHA-256 in hex: ${start.digest}`);
    this.#digest = Buffer.from(start.digest, 'hex');
    this.#entries = start.entries;
  }

  add(line: string): void {
    this.#digest = hash('sha256', Buffer.concat([this.#digest, Buffer.from(line, 'utf8')]), 'buffer');
    this.#entries++;
  }

  state(): ManifestState {
    return { digest: this.#digest.toString('hex'), entries: this.#entries };
  }
}

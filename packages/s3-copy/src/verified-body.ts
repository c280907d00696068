import type { BodyStream } from './body-stream.ts';
import type { Traffic } from './gate.ts';
import { createMd5 } from './sigv4.ts';

/** A body on its way from source to target. */
export interface VerifiedBody {
  chunks: AsyncGenerator<Buffer, void>;
  /** MD5 of what was passed on; only after the last chunk. */
  md5(): Buffer;
}

/**
 * Passes a body on while its MD5 is computed. The last chunk is held back until the MD5 has been checked by `check`,
 * which throws: a damaged body then ends before its announced length, and the target stores nothing.
 */
export function verifiedBody(stream: BodyStream, traffic: Traffic, check: (md5: Buffer) => void): VerifiedBody {
  const hash = createMd5();
  let digest: Buffer | null = null;
  async function* chunks(): AsyncGenerator<Buffer, void> {
    let held: Buffer | null = null;
    for await (const chunk of stream) {
      hash.update(chunk);
      traffic.bytesRead += chunk.length;
      if (held !== null) {
        traffic.bytesWritten += held.length;
        yield held;
      }
      held = chunk;
    }
    digest = hash.digest();
    check(digest);
    if (held !== null) {
      traffic.bytesWritten += held.length;
      yield held;
    }
  }
  return {
    chunks: chunks(),
    md5: () => {
      if (digest === null) throw new Error('the body has not ended yet');
      return digest;
    },
  };
}

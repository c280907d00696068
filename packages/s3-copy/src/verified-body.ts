import { BodyDigest } from './body-digest.ts';
import type { DigestedBody, KeptChecksum } from './body-digest.ts';
import type { BodyStream } from './body-stream.ts';
import type { Traffic } from './gate.ts';

/** A body on its way from source to target. */
export interface VerifiedBody {
  chunks: AsyncGenerator<Buffer, void>;
  /** What was passed on; only after the last chunk. */
  digest(): DigestedBody;
}

/** Who looks at a body while it passes. */
export interface BodyChecks {
  /** A checksum of the source to compute besides the MD5. */
  checksum?: KeptChecksum | null;
  /** Sees each chunk as it comes. */
  onChunk?: (chunk: Buffer) => void;
  /** Throws when the body is damaged, before its last chunk is passed on. */
  check?: (digest: DigestedBody) => void;
}

/**
 * Passes a body on while its MD5 is computed. The last chunk is held back until the digest has been checked: a damaged
 * body then ends before its announced length, and the target stores nothing.
 */
export function verifiedBody(stream: BodyStream, traffic: Traffic, checks: BodyChecks = {}): VerifiedBody {
  const digest = new BodyDigest(checks.checksum ?? null);
  let ended: DigestedBody | null = null;
  async function* chunks(): AsyncGenerator<Buffer, void> {
    let held: Buffer | null = null;
    for await (const chunk of stream) {
      digest.update(chunk);
      checks.onChunk?.(chunk);
      traffic.bytesRead += chunk.length;
      if (held !== null) {
        traffic.bytesWritten += held.length;
        yield held;
      }
      held = chunk;
    }
    ended = digest.end();
    checks.check?.(ended);
    if (held !== null) {
      traffic.bytesWritten += held.length;
      yield held;
    }
  }
  return {
    chunks: chunks(),
    digest: () => {
      if (ended === null) throw new Error('the body has not ended yet');
      return ended;
    },
  };
}

/** Reads a body to its end without passing it on. */
export async function digestOf(
  stream: BodyStream,
  traffic: Traffic,
  onChunk: (chunk: Buffer) => void = () => undefined,
): Promise<DigestedBody> {
  const digest = new BodyDigest(null);
  for await (const chunk of stream) {
    digest.update(chunk);
    onChunk(chunk);
    traffic.bytesRead += chunk.length;
  }
  return digest.end();
}

/**
 * Sends what a stream brings. When both sides fail, the source's error is the cause and the target's its consequence;
 * when only the target fails, the source is told to stop.
 */
export async function sendStream<T>(
  stream: { destroy(reason: Error): void; readonly failure: Error | null },
  send: () => Promise<T>,
): Promise<T> {
  try {
    return await send();
  } catch (error) {
    const cause = stream.failure ?? error;
    stream.destroy(error instanceof Error ? error : new Error(String(error)));
    throw cause;
  }
}

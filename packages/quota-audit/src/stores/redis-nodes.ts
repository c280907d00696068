/** One Redis or Valkey server; of a cluster, one primary. Texts are bytes, one latin1 character each, both ways. */
export interface RedisNode {
  /** `host:port`. */
  readonly name: string;
  /** Sends commands in order and in one write, one promise each; error replies reject, their message begins with the code. */
  sendAll(commands: readonly (readonly string[])[]): readonly Promise<unknown>[];
}

/** Sends one command. */
export async function sendOne(node: RedisNode, ...args: readonly string[]): Promise<unknown> {
  const [reply] = node.sendAll([args]);
  return reply;
}

/** A text as its UTF-8 bytes, one latin1 character each. */
export function bytesOf(text: string): string {
  return /^[\0-\x7f]*$/.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}

/** Bytes as the text that they are in UTF-8; what is none becomes U+FFFD. */
export function textOf(bytes: string): string {
  return /^[\0-\x7f]*$/.test(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString('utf8');
}

/** Reads a number reply. @throws when it is none. */
export function numberIn(reply: unknown): number {
  const value =
    typeof reply === 'number' || typeof reply === 'bigint' ? Number(reply) : Number.parseInt(String(reply), 10);
  if (Number.isNaN(value)) throw new Error(`Redis answered ${JSON.stringify(reply)} where a number was due`);
  return value;
}

/** Reads a bulk reply; `null` when there is none. */
export function bulkIn(reply: unknown): string | null {
  return typeof reply === 'string' ? reply : null;
}

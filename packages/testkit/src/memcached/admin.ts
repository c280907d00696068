import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

const ANSWER_TIMEOUT_MS = 20_000;
const BUSY_POLL_MS = 10;

/**
 * Sends text-protocol requests on a connection of its own and returns all their replies as one text (latin1: one character a
 * byte). For set-up and checks of tests, so that they do not depend on the client under test.
 * @param request whole lines, data blocks included, each ended by `\r\n`.
 */
export async function memcachedExchange(port: number, request: string, host = '127.0.0.1'): Promise<string> {
  // The no-op is answered after everything before it, so its reply ends ours.
  const answer = await converse(port, host, `${request}mn\r\n`, 'MN\r\n');
  return answer.slice(0, -'MN\r\n'.length);
}

/** One entry of a server, as its crawler lists it. */
export interface MemcachedEntry {
  /** The key, decoded as UTF-8. */
  readonly key: string;
  /** Deadline in seconds since 1970; -1: none. */
  readonly expiresAtSeconds: number;
}

/** Lists every entry of a server, expired ones that the server still holds left out. Waits while another dump runs. */
export async function memcachedEntries(port: number, host = '127.0.0.1'): Promise<MemcachedEntry[]> {
  const answer = await dump(port, host);
  const entries: MemcachedEntry[] = [];
  for (const [, key = '', expires = ''] of answer.matchAll(/^key=(\S+) exp=(-?\d+) /gm)) {
    entries.push({ key: decodeURIComponent(key), expiresAtSeconds: Number(expires) });
  }
  return entries;
}

async function dump(port: number, host: string): Promise<string> {
  const giveUpMs = performance.now() + ANSWER_TIMEOUT_MS;
  for (;;) {
    try {
      // Walks the hash table. The walk over the LRU lists (`all`) misses entries that change lists meanwhile, as busy ones do.
      return await converse(port, host, 'lru_crawler metadump hash\r\n', 'END\r\n');
    } catch (error) {
      const isBusy = error instanceof Error && error.message.startsWith('BUSY');
      if (!isBusy || performance.now() > giveUpMs) throw error;
      await wait(BUSY_POLL_MS);
    }
  }
}

async function converse(port: number, host: string, request: string, end: string): Promise<string> {
  const socket = connect({ port, host });
  let answer = '';
  try {
    await new Promise<void>((resolve, reject) => {
      socket.setTimeout(ANSWER_TIMEOUT_MS, () => reject(new Error(`memcached on port ${port} did not answer`)));
      socket.once('error', reject);
      socket.once('close', () => reject(new Error(`memcached on port ${port} closed the connection`)));
      socket.on('data', (chunk: Buffer) => {
        answer += chunk.toString('latin1');
        if (answer.endsWith(end)) resolve();
        // A crawl that runs already, or a server that refuses dumps, says so instead of listing.
        else if (/^(BUSY|ERROR|CLIENT_ERROR)[^\n]*\n$/.test(answer)) reject(new Error(answer.trim()));
      });
      socket.write(request, 'latin1');
    });
  } finally {
    socket.destroy();
  }
  return answer;
}

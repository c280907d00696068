import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, open, readdir, rm, stat } from 'node:fs/promises';
import { createConnection, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { once } from 'node:events';
import { pipeline } from 'node:stream/promises';

/*
 * A running console holds its SQLite file alone, so whoever wants a copy asks it through a socket in the data directory, which
 * only the owner of that directory can reach. Asked `backup`, it answers one line of JSON, `{ "bytes": n }` and the bytes of a
 * consistent copy, or `{ "error": "…" }`.
 */

const DOOR = 'console.sock';
const REQUEST = 'backup\n';
/** Copies that are being sent; one that is there at the start was left by a console that was killed, and is as large as the database. */
const COPY = /^backup-[0-9a-f]{12}\.tmp(-journal|-wal)?$/;
/** Who knocks and asks nothing is let go. */
const REQUEST_MS = 5_000;
/** What Linux can name; elsewhere it is less by a few. */
const MAX_SOCKET_PATH = 103;
const MAX_LINE = 4_096;

/**
 * Lets copies be asked for.
 * @param copyTo writes a consistent copy of the database to a path
 * @returns how to close the door again; undefined when the path of the data directory is too long for a socket
 */
export async function openDoor(
  dataDir: string,
  copyTo: (path: string) => Promise<void>,
): Promise<(() => Promise<void>) | undefined> {
  const path = join(dataDir, DOOR);
  if (Buffer.byteLength(path) > MAX_SOCKET_PATH) return undefined;
  // Whoever holds the database is the only console here: a socket that is there belongs to one that was killed.
  await rm(path, { force: true });
  for (const name of await readdir(dataDir)) if (COPY.test(name)) await rm(join(dataDir, name), { force: true });
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // A client that goes away costs nothing but its copy.
    socket.on('error', () => undefined);
    void answer(socket, dataDir, copyTo);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  server.unref();
  await chmod(path, 0o600);
  return async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
}

async function answer(socket: Socket, dataDir: string, copyTo: (path: string) => Promise<void>): Promise<void> {
  const copy = join(dataDir, `backup-${randomBytes(6).toString('hex')}.tmp`);
  try {
    const signal = AbortSignal.timeout(REQUEST_MS);
    const [asked]: unknown[] = await once(socket, 'data', { signal });
    if (String(asked) !== REQUEST) throw new Error('this can only be asked for a backup');
    await (await open(copy, 'wx', 0o600)).close();
    await copyTo(copy);
    socket.write(`${JSON.stringify({ bytes: (await stat(copy)).size })}\n`);
    await pipeline(createReadStream(copy), socket);
  } catch (error) {
    socket.end(`${JSON.stringify({ error: error instanceof Error ? error.message : String(error) })}\n`);
  } finally {
    await rm(copy, { force: true });
  }
}

/**
 * Asks the console that runs on a data directory for a copy of its database.
 * @returns false when no console answers there
 * @throws Error when it cannot make one, or the copy ends too soon
 */
export async function askForCopy(dataDir: string, path: string): Promise<boolean> {
  const socket = createConnection(join(dataDir, DOOR));
  const reached = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  });
  if (!reached) return false;
  socket.on('error', () => undefined);
  socket.write(REQUEST);
  const file = await open(path, 'wx', 0o600);
  let head = Buffer.alloc(0);
  let expected: number | undefined;
  let received = 0;
  try {
    for await (const chunk of socket) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a socket without an encoding yields buffers
      let bytes = chunk as Buffer;
      if (expected === undefined) {
        head = Buffer.concat([head, bytes]);
        const end = head.indexOf('\n');
        if (end < 0 && head.length < MAX_LINE) continue;
        expected = announced(head.toString('utf8', 0, end));
        bytes = head.subarray(end + 1);
      }
      // Writes all of it: on a disk that is nearly full a plain write may take less, and say so to nobody.
      await file.writeFile(bytes);
      received += bytes.length;
    }
    await file.sync();
  } catch (error) {
    throw brokenOff(error) ? new Error(BROKEN_OFF, { cause: error }) : error;
  } finally {
    await file.close();
  }
  if (received !== expected) throw new Error('the console ended before the copy was whole');
  return true;
}

const BROKEN_OFF =
  'the console broke the connection off before the copy was whole: try again, and see whether its limit of open files is reached';

function brokenOff(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EPIPE' || error.code === 'ECONNRESET');
}

function announced(line: string): number {
  const answered: unknown = JSON.parse(line);
  if (typeof answered === 'object' && answered !== null) {
    if ('bytes' in answered && typeof answered.bytes === 'number') return answered.bytes;
    if ('error' in answered) throw new Error(`the console could not make a copy: ${String(answered.error)}`);
  }
  throw new Error('what answers in the data directory is not a console');
}

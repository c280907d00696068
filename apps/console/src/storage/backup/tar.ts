import { createReadStream } from 'node:fs';
import { stat, type FileHandle } from 'node:fs/promises';

/*
 * As much of the tar format (ustar) as an archive of a few regular files needs, so that any tar can list and unpack it.
 */

const BLOCK = 512;
/** What fits into the size field: 11 octal digits. */
const MAX_FILE_BYTES = 8 ** 11 - 1;
const CHUNK = 1_048_576;

/** A file to be put into an archive. */
export interface TarFile {
  name: string;
  /** Where its content is. */
  path: string;
}

/**
 * Writes files one behind the other, and the mark of the end; each part as a whole, since on a disk that is nearly full a plain
 * write may take less.
 * @throws RangeError for a file of 8 GiB or more, which the format cannot hold
 */
export async function writeTar(archive: FileHandle, files: readonly TarFile[]): Promise<void> {
  for (const { name, path } of files) {
    const { size, mtimeMs } = await stat(path);
    if (size > MAX_FILE_BYTES) throw new RangeError(`${name} is larger than 8 GiB, which an archive cannot hold`);
    await archive.writeFile(header(name, size, Math.floor(mtimeMs / 1_000)));
    let written = 0;
    for await (const chunk of createReadStream(path, { end: Math.max(0, size - 1), highWaterMark: CHUNK })) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a stream without an encoding yields buffers
      const bytes = chunk as Buffer;
      await archive.writeFile(bytes);
      written += bytes.length;
    }
    if (written !== size) throw new RangeError(`${name} changed while it was read`);
    await archive.writeFile(Buffer.alloc(padding(size)));
  }
  await archive.writeFile(Buffer.alloc(2 * BLOCK));
}

/**
 * Reads an archive; `place` says where the content of a file goes.
 * @throws Error when it is no archive, or ends too soon
 */
export async function readTar(archive: FileHandle, place: (name: string) => Promise<FileHandle>): Promise<void> {
  let at = 0;
  for (;;) {
    const head = await exactly(archive, at, BLOCK);
    at += BLOCK;
    if (head.every((byte) => byte === 0)) return;
    const { name, size } = parsed(head);
    const target = await place(name);
    try {
      for (let done = 0; done < size; done += CHUNK) {
        await target.writeFile(await exactly(archive, at + done, Math.min(CHUNK, size - done)));
      }
      await target.sync();
    } finally {
      await target.close();
    }
    at += size + padding(size);
  }
}

async function exactly(archive: FileHandle, at: number, bytes: number): Promise<Buffer> {
  const { buffer, bytesRead } = await archive.read(Buffer.alloc(bytes), 0, bytes, at);
  if (bytesRead < bytes) throw new Error('it ends too soon');
  return buffer;
}

function padding(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}

function header(name: string, size: number, modifiedSeconds: number): Buffer {
  const head = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, digits: number): void => {
    head.write(value.toString(8).padStart(digits, '0'), at, 'latin1');
  };
  head.write(name, 0, 100, 'utf8');
  octal(0o600, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(size, 124, 11);
  octal(modifiedSeconds, 136, 11);
  head.write('0', 156, 'latin1');
  head.write('ustar\u000000', 257, 'latin1');
  octal(checksum(head), 148, 6);
  head.write('\u0000 ', 154, 'latin1');
  return head;
}

function parsed(head: Buffer): { name: string; size: number } {
  const text = (from: number, to: number): string => head.toString('utf8', from, to).replace(/\0.*$/s, '');
  const size = Number.parseInt(text(124, 136), 8);
  const known = Number.parseInt(text(148, 156), 8);
  if (text(257, 262) !== 'ustar' || known !== checksum(head) || !(size >= 0)) throw new Error('it is not an archive');
  return { name: text(0, 100), size };
}

/** Sum of all bytes, with those of the checksum itself taken as spaces. */
function checksum(head: Buffer): number {
  let sum = 8 * 32;
  for (const [index, byte] of head.entries()) if (index < 148 || index >= 156) sum += byte;
  return sum;
}

import { open, type FileHandle } from 'node:fs/promises';
import { CommandError } from '../output/command-error.ts';

/** Text that waits in memory before it is written, in characters. */
const WRITE_AT = 64 * 1_024;

/** A file that grows by lines, and can be cut back to where an earlier process was sure of it. */
export class LineFile {
  readonly #file: string;
  readonly #handle: FileHandle;
  #waiting: string[] = [];
  #waitingCharacters = 0;
  #bytes: number;
  #writing: Promise<void> = Promise.resolve();
  #error: unknown = null;

  private constructor(file: string, handle: FileHandle, bytes: number) {
    this.#file = file;
    this.#handle = handle;
    this.#bytes = bytes;
  }

  /**
   * @param keptBytes what stays of the file; 0 begins it anew
   * @throws CommandError when it cannot be written, or is shorter than what should stay
   */
  static async open(file: string, keptBytes: number): Promise<LineFile> {
    const handle = await open(file, keptBytes === 0 ? 'w' : 'r+').catch((error: unknown) => {
      throw unwritable(file, error);
    });
    const { size } = await handle.stat();
    if (size < keptBytes) {
      await handle.close();
      throw new CommandError('file-changed', `${file} is shorter than the copy left it`, {
        remedy: 'Put it back, or begin anew with another file for --resume.',
      });
    }
    // A pipe or a device has no length to cut.
    if (size > keptBytes) await handle.truncate(keptBytes);
    return new LineFile(file, handle, keptBytes);
  }

  /** Length once everything that was added is written, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  add(line: string): void {
    this.#waiting.push(line, '\n');
    this.#waitingCharacters += line.length + 1;
    this.#bytes += Buffer.byteLength(line) + 1;
    if (this.#waitingCharacters >= WRITE_AT) void this.#write();
  }

  /** Everything that was added is in the file. @throws CommandError when it could not be written */
  async flush(): Promise<void> {
    await this.#write();
    if (this.#error !== null) throw unwritable(this.#file, this.#error);
  }

  /** Closes it; lines that were not flushed are lost. Can be called twice. */
  async close(): Promise<void> {
    await this.#writing;
    await this.#handle.close();
  }

  #write(): Promise<void> {
    const text = this.#waiting.join('');
    this.#waiting = [];
    this.#waitingCharacters = 0;
    const atByte = this.#bytes - Buffer.byteLength(text);
    this.#writing = this.#writing
      .then(async () => {
        if (text !== '' && this.#error === null) await writeAll(this.#handle, Buffer.from(text), atByte);
      })
      .catch((error: unknown) => {
        this.#error = error;
      });
    return this.#writing;
  }
}

async function writeAll(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

function unwritable(file: string, error: unknown): CommandError {
  const why = error instanceof Error ? error.message : String(error);
  return new CommandError('file-unwritable', `cannot write ${file}: ${why}`, {
    remedy: 'Name a file in a folder that may be written, on a disk with room.',
    cause: error,
  });
}

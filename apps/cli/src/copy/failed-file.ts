import { createWriteStream, type WriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { objectKey } from '@weir/protocol';
import type { CopyFailure } from '@weir/s3-copy';
import { CommandError } from '../output/command-error.ts';

/** Most keys of one file that are tried again in one run: they are held in memory. */
export const MAX_RETRIED_KEYS = 1_000_000;

/** The keys out of what `--failed` wrote, each once and in its order; lines that are no JSON are keys as they stand. */
export async function readFailedKeys(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new CommandError('file-unreadable', `cannot read the list of objects ${file}`, {
      remedy: 'Name a file that --failed wrote, or one with a key on each line.',
      cause: error,
    });
  });
  const keys = new Set<string>();
  for (const [index, line] of text.split('\n').entries()) {
    if (line === '') continue;
    const key = keyOfLine(line);
    if (key === null) {
      throw new CommandError('list-invalid', `line ${index + 1} of ${file} has no key that an object could have`);
    }
    keys.add(key);
  }
  if (keys.size > MAX_RETRIED_KEYS) {
    throw new CommandError('list-too-long', `${file} lists more than ${MAX_RETRIED_KEYS} objects`, {
      remedy: 'Split it into several files, or copy the prefix anew with --mode target-skip.',
    });
  }
  return [...keys];
}

/** The key that a line names; null when it names none. */
function keyOfLine(line: string): string | null {
  let key: unknown = line;
  if (line.startsWith('{')) {
    try {
      const parsed: unknown = JSON.parse(line);
      key = typeof parsed === 'object' && parsed !== null && 'key' in parsed ? parsed.key : null;
    } catch {
      // A key may begin with a brace.
    }
  }
  return objectKey.safeParse(key).success && typeof key === 'string' ? key : null;
}

/** A file that gets one line of JSON for each object that could not be copied, as soon as that is certain. */
export class FailedFile {
  readonly #stream: WriteStream;
  #error: Error | null = null;

  /** @param goOn keep what an earlier run of this copy wrote. */
  constructor(file: string, goOn: boolean) {
    this.#stream = createWriteStream(file, { flags: goOn ? 'a' : 'w' });
    this.#stream.on('error', (error) => {
      this.#error = error;
    });
  }

  add(failure: CopyFailure): void {
    if (this.#error === null) this.#stream.write(`${JSON.stringify(failure)}\n`);
  }

  /** Everything is in the file. @throws CommandError when it could not be written */
  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      if (this.#error !== null) resolve();
      else this.#stream.once('close', resolve).end();
    });
    if (this.#error === null) return;
    throw new CommandError('file-unwritable', `cannot write the list of failed objects: ${this.#error.message}`, {
      remedy: 'Name a file in a folder that may be written with --failed.',
      cause: this.#error,
    });
  }
}

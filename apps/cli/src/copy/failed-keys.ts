import { readFile } from 'node:fs/promises';
import { objectKey } from '@weir/protocol';
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

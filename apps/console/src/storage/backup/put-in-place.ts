import { link, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { BackupError } from './backup-error.ts';

/**
 * Puts files into a folder in their order, each at once: no moment has it missing, or half. The database comes first, as a
 * console that starts then refuses it for the keys that do not fit; without one it would make keys and a database of its own.
 * @param from folder of the new files, in the same file system
 * @throws BackupError when one is there that should not be; what was there before is still there then
 */
export async function putInPlace(
  from: string,
  to: string,
  names: readonly string[],
  isThere: ReadonlySet<string>,
): Promise<void> {
  const placed: string[] = [];
  try {
    for (const name of names) {
      await (isThere.has(name) ? exchange : add)(join(from, name), join(to, name));
      placed.push(name);
    }
  } catch (error) {
    for (const name of placed.toReversed()) {
      if (isThere.has(name)) await rename(join(to, aside(name)), join(to, name));
      else await rm(join(to, name), { force: true });
    }
    throw error;
  }
}

/** Name under which a file that was replaced is kept. */
export function aside(name: string): string {
  return `${name}.before-restore`;
}

async function exchange(from: string, to: string): Promise<void> {
  await rm(aside(to), { force: true });
  await link(to, aside(to));
  await rename(from, to);
}

async function add(from: string, to: string): Promise<void> {
  await link(from, to).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    throw new BackupError(
      `${to} came to be there meanwhile: does a console start here? Stop it, and look at what it made`,
      {
        cause: error,
      },
    );
  });
}

/** Whether something is at a path. */
export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

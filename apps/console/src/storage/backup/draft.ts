import { rmSync } from 'node:fs';
import { mkdtemp, readdir, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';

/*
 * A folder in which something is made whole before it is put in place. Whoever works in it holds a lock on a file there, which ends
 * with the process: so what a killed one has left can be told from what is being worked on, by processes of other machines on the
 * same disk too. SQLite's locks are used because Node.js has none of its own.
 */

const LOCK = 'in-use';
/** What mkdtemp adds to a name. */
const RANDOM = /^[0-9A-Za-z]{6}$/;
/** Others who clean up may take away a folder that is not locked yet. */
const ATTEMPTS = 5;

/** A folder of one's own. */
export interface Draft {
  readonly path: string;
  /** What others who were killed had left beside it, and is gone now. */
  readonly removed: readonly string[];
  /** Removes it, as does the end of the process if that comes before. */
  remove(): Promise<void>;
}

/** Makes a draft in a folder, and removes those that processes which are dead have left there. @param prefix of their names */
export async function openDraft(folder: string, prefix: string): Promise<Draft> {
  const removed = await removeLeftovers(folder, prefix);
  for (let left = ATTEMPTS; left > 0; left -= 1) {
    const path = await mkdtemp(join(folder, prefix));
    const release = await lock(path, { make: true });
    if (release === undefined) continue;
    const atExit = (): void => rmSync(path, { recursive: true, force: true });
    process.once('exit', atExit);
    return {
      path,
      removed,
      remove: async () => {
        process.off('exit', atExit);
        await rm(path, { recursive: true, force: true });
        release();
      },
    };
  }
  throw new Error(`no folder can be kept in ${folder}: something removes it at once`);
}

async function removeLeftovers(folder: string, prefix: string): Promise<string[]> {
  const removed: string[] = [];
  // Whoever may write to a folder need not be able to read it.
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.startsWith(prefix) || !RANDOM.test(name.slice(prefix.length))) continue;
    const path = join(folder, name);
    // One that is empty was left before it was locked, or will be made anew by whoever just made it.
    if (await succeeds(rmdir(path))) continue;
    const release = await lock(path, { make: false });
    if (release === undefined) continue;
    if (await succeeds(rm(path, { recursive: true }))) removed.push(path);
    release();
  }
  return removed;
}

/** How to end the lock on a draft; undefined: somebody else has it, or the folder is gone or is not ours. */
async function lock(path: string, { make }: { make: boolean }): Promise<(() => void) | undefined> {
  const file = join(path, LOCK);
  let held: Database.Database | undefined;
  try {
    held = new Database(file, { fileMustExist: !make, timeout: 0 });
    held.exec('begin exclusive');
    // A lock on what was removed meanwhile is none.
    await stat(file);
    const holder = held;
    return () => void holder.close();
  } catch {
    held?.close();
    return undefined;
  }
}

function succeeds(work: Promise<void>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

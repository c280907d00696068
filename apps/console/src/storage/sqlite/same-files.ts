import { statSync } from 'node:fs';
import Database from 'better-sqlite3';

/**
 * Whether the files of an open database are still where they were. One that was removed or replaced goes on taking changes as
 * long as it is open, and takes them with it when it is closed: with a journal that is written ahead SQLite does not look.
 * @param path of the database; it is open
 * @returns what throws SqliteError SQLITE_READONLY_DBMOVED when they are not
 */
export function sameFiles(path: string): () => void {
  const known = new Map<string, number | undefined>([path, `${path}-wal`].map((file) => [file, identityOf(file)]));
  return () => {
    for (const [file, before] of known) {
      const now = identityOf(file);
      if (before === undefined) known.set(file, now);
      else if (now !== before) throw new Database.SqliteError(moved(file, path), 'SQLITE_READONLY_DBMOVED');
    }
  };
}

/** Its inode, by which SQLite itself tells, where it keeps another kind of journal; undefined: it is not there. */
function identityOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino;
}

function moved(file: string, path: string): string {
  return (
    `The file ${file} was removed or replaced while the console used it: what is changed now would be lost. ` +
    `What was in ${path} can still be saved with weir backup; then stop the console, restore it and start again.`
  );
}

import { mkdir, mkdtemp, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { checkDatabase } from '../sqlite/open-database.ts';
import { BackupError } from './backup-error.ts';
import {
  backupContents,
  CONTENTS_FILE,
  DATABASE_FILE,
  digestOf,
  SECRET_FILES,
  type BackupContents,
} from './contents.ts';
import { readTar } from './tar.ts';

/** What to restore, and where to. */
export interface RestoreOptions {
  file: string;
  /** Made when it is not there. */
  dataDir: string;
  /** Whether files that are there already are moved aside (to `<name>.before-restore`). Default false: they are refused. */
  replace?: boolean;
}

/** What was restored. */
export interface Restored {
  contents: BackupContents;
  /** Names in the data directory. */
  files: string[];
  /** Files that were moved aside, by their new names. */
  movedAside: string[];
}

/**
 * Puts the files of a backup into a data directory on which no console runs. They are checked first, whole; then put in place,
 * the database last, so that a console never meets it without its secrets.
 * @throws BackupError; what was there before is still there then
 */
export async function restoreBackup({ file, dataDir, replace = false }: RestoreOptions): Promise<Restored> {
  let draft: string | undefined;
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    draft = await mkdtemp(join(dataDir, '.restore-'));
    await unpack(file, draft);
    const contents = await checked(file, draft);
    const files = [...SECRET_FILES, DATABASE_FILE].filter((name) => Object.hasOwn(contents.files, name));
    const movedAside = await makeRoom(dataDir, files, replace);
    for (const name of files) await rename(join(draft, name), join(dataDir, name));
    return { contents, files, movedAside };
  } catch (error) {
    if (error instanceof BackupError) throw error;
    throw new BackupError(error instanceof Error ? error.message : String(error), { cause: error });
  } finally {
    if (draft !== undefined) await rm(draft, { recursive: true, force: true });
  }
}

async function unpack(file: string, draft: string): Promise<void> {
  const archive = await open(file, 'r').catch((error: unknown) => {
    throw new BackupError(`the backup ${file} cannot be read: ${String(error)}`, { cause: error });
  });
  const known = new Set([DATABASE_FILE, ...SECRET_FILES, CONTENTS_FILE]);
  try {
    await readTar(archive, async (name) => {
      if (!known.has(name)) throw new Error(`it holds a file that a backup does not have (${name})`);
      return open(join(draft, name), 'wx', 0o600);
    });
  } catch (error) {
    throw new BackupError(
      `the backup ${file} is damaged or none: ${error instanceof Error ? error.message : String(error)}`,
      {
        cause: error,
      },
    );
  } finally {
    await archive.close();
  }
}

async function checked(file: string, draft: string): Promise<BackupContents> {
  const text = await readFile(join(draft, CONTENTS_FILE), 'utf8').catch(() => 'null');
  const parsed = backupContents.safeParse(JSON.parse(text));
  if (!parsed.success) throw new BackupError(`the backup ${file} does not say what it holds, or is of a newer format`);
  for (const [name, digest] of Object.entries(parsed.data.files)) {
    if ((await digestOf(join(draft, name)).catch(() => '')) !== digest) {
      throw new BackupError(`the backup ${file} is damaged: ${name} is not what was saved`);
    }
  }
  if (parsed.data.files[DATABASE_FILE] !== undefined) await checkDatabase(join(draft, DATABASE_FILE));
  return parsed.data;
}

async function makeRoom(dataDir: string, files: readonly string[], replace: boolean): Promise<string[]> {
  const present: string[] = [];
  // The journal of a database belongs to it, and would spoil another one.
  const journals = files.includes(DATABASE_FILE) ? [`${DATABASE_FILE}-wal`, `${DATABASE_FILE}-shm`] : [];
  for (const name of [...journals, ...files]) if (await exists(join(dataDir, name))) present.push(name);
  if (present.length === 0) return [];
  if (!replace) {
    throw new BackupError(
      `${join(dataDir, present[0] ?? '')} is there already: choose an empty folder, or say --replace`,
    );
  }
  requireStopped(join(dataDir, DATABASE_FILE));
  const moved: string[] = [];
  for (const name of present) {
    const aside = `${name}.before-restore`;
    await rename(join(dataDir, name), join(dataDir, aside)).catch((error: NodeJS.ErrnoException) => {
      // Closing the database above may have put its journal away.
      if (error.code !== 'ENOENT') throw error;
    });
    if (await exists(join(dataDir, aside))) moved.push(aside);
  }
  return moved;
}

/** A console holds its database alone: who can lock it knows that none runs. */
function requireStopped(path: string): void {
  let database: Database.Database | undefined;
  try {
    database = new Database(path, { fileMustExist: true, timeout: 500 });
    database.pragma('locking_mode = EXCLUSIVE');
    database.exec('begin exclusive; rollback');
  } catch (error) {
    const code = error instanceof Database.SqliteError ? error.code : '';
    // Absent or damaged: what it is replaced for.
    if (!code.startsWith('SQLITE_BUSY') && !code.startsWith('SQLITE_LOCKED')) return;
    throw new BackupError(`a console runs on ${path}: stop it first`, { cause: error });
  } finally {
    database?.close();
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

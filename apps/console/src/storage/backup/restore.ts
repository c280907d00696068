import { mkdir, open, readFile, rename, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { SECRETS_FILE } from '../files/secrets-file.ts';
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
import { openDraft, type Draft } from './draft.ts';
import { whileNobodyIsThere } from './nobody-there.ts';
import { aside, exists, putInPlace } from './put-in-place.ts';
import { readTar } from './tar.ts';

/** What to restore, and where to. */
export interface RestoreOptions {
  file: string;
  /** Made when it is not there. */
  dataDir: string;
  /** Whether files that are there already are moved aside (to `<name>.before-restore`). Default false: they are refused. */
  replace?: boolean;
  /**
   * Database of the console, as given to it. Replacing the keys of a PostgreSQL database needs it: it tells whether consoles use
   * them.
   */
  storageUrl?: string | undefined;
  /** Redis of the group, as given to its consoles: it tells more of them. */
  redisUrl?: string | undefined;
}

/** What was restored. */
export interface Restored {
  contents: BackupContents;
  /** Names in the data directory. */
  files: string[];
  /** Files that were moved aside, by their new names. */
  movedAside: string[];
  /** What could not be asked whether consoles run, and why; null: nothing. */
  notSeen: string | null;
  /** Folders that restores which were killed had left in the data directory, and that are gone now. */
  removed: readonly string[];
}

/** Beginning of the names of folders in which a backup is unpacked. */
const DRAFT = '.restore-';

/**
 * Puts the files of a backup into a data directory on which no console runs. They are checked first, whole; then those that are
 * there are replaced while no console uses them or can begin to.
 * @throws BackupError; what was there before is still there then
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { file, dataDir } = options;
  let opened: Draft | undefined;
  try {
    // Before anything is made for it.
    await (await openArchive(file)).close();
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    opened = await openDraft(dataDir, DRAFT);
    const { path: draft, removed } = opened;
    await unpack(file, draft);
    const contents = await checked(file, draft);
    const files = [DATABASE_FILE, ...SECRET_FILES].filter((name) => Object.hasOwn(contents.files, name));
    const present: string[] = [];
    for (const name of [...files, ...journalsOf(files)]) if (await exists(join(dataDir, name))) present.push(name);
    if (present.length > 0) {
      return { contents, files, removed, ...(await replaceFiles(options, { draft, contents, files, present })) };
    }
    await putInPlace(draft, dataDir, files, new Set());
    return { contents, files, removed, movedAside: [], notSeen: null };
  } catch (error) {
    if (error instanceof BackupError) throw error;
    throw new BackupError(error instanceof Error ? error.message : String(error), { cause: error });
  } finally {
    await opened?.remove();
  }
}

async function openArchive(file: string): Promise<FileHandle> {
  return open(file, 'r').catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new BackupError(`the backup ${file} cannot be read: ${reason}`, { cause: error });
  });
}

async function unpack(file: string, draft: string): Promise<void> {
  const archive = await openArchive(file);
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

/** Replaces what is there, while no console uses it. */
async function replaceFiles(
  { dataDir, replace, storageUrl, redisUrl }: RestoreOptions,
  {
    draft,
    contents,
    files,
    present,
  }: { draft: string; contents: BackupContents; files: readonly string[]; present: readonly string[] },
): Promise<{ movedAside: string[]; notSeen: string | null }> {
  if (replace !== true) {
    throw new BackupError(
      `${join(dataDir, present[0] ?? '')} is there already: choose an empty folder, or say --replace`,
    );
  }
  const databasePath = join(dataDir, DATABASE_FILE);
  const given = {
    databasePath,
    secretsPaths: [dataDir, draft].map((folder) => join(folder, SECRETS_FILE)),
    archived: contents.storage,
    storageUrl,
    redisUrl,
  };
  const { result, notSeen } = await whileNobodyIsThere(given, async () => {
    const journals: string[] = [];
    for (const name of journalsOf(files)) if (await moveAside(dataDir, name)) journals.push(name);
    await putInPlace(draft, dataDir, files, new Set(present));
    return [...files.filter((name) => present.includes(name)), ...journals];
  });
  return { movedAside: result.map(aside), notSeen };
}

/** What a damaged database leaves: it belongs to that one, and would spoil another. */
function journalsOf(files: readonly string[]): string[] {
  return files.includes(DATABASE_FILE) ? [`${DATABASE_FILE}-wal`, `${DATABASE_FILE}-shm`] : [];
}

/** False when it is not there. */
async function moveAside(dataDir: string, name: string): Promise<boolean> {
  return rename(join(dataDir, name), join(dataDir, aside(name))).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return false;
    },
  );
}

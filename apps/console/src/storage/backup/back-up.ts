import { copyFile, open, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { isPostgresUrl, SQLITE_URL } from '../../config/storage-url.ts';
import { BackupError } from './backup-error.ts';
import { CONTENTS_FILE, DATABASE_FILE, digestOf, SECRET_FILES, type BackupContents } from './contents.ts';
import { askForCopy } from './door.ts';
import { openDraft, type Draft } from './draft.ts';
import { writeTar, type TarFile } from './tar.ts';

/** What to back up, and where to. */
export interface BackupOptions {
  dataDir: string;
  /** Default `sqlite:`. Of a PostgreSQL database only the secrets are backed up: pg_dump does the rest. */
  storageUrl?: string;
  /** Archive to write; replaced when it is there. */
  file: string;
  /** Whether the files with secrets are put into it. Without them the saved endpoint secrets cannot be read. Default true. */
  secrets?: boolean;
}

/** What was backed up. */
export interface BackupMade {
  contents: BackupContents;
  bytes: number;
  /** Whether a console was running and made the copy. */
  online: boolean;
  /** Folders that backups which were killed had left beside the file, and that are gone now. */
  removed: readonly string[];
}

/** Beginning of the names of folders in which backups are made, beside their files. */
const DRAFT = '.weir-backup-';

/**
 * Writes an archive (tar, mode 0600) of the database and the secrets of a data directory, while its console runs or not.
 * @throws BackupError
 */
export async function backUp(options: BackupOptions): Promise<BackupMade> {
  const { dataDir, file, secrets = true, storageUrl = SQLITE_URL } = options;
  const postgres = isPostgresUrl(storageUrl);
  if (postgres && !secrets) throw new BackupError('nothing is left to back up: pg_dump saves the database itself');
  let draft: Draft | undefined;
  try {
    draft = await openDraft(dirname(file), DRAFT);
    const { path, removed } = draft;
    const online = postgres ? false : await copyDatabase(dataDir, join(path, DATABASE_FILE));
    const names = [...(postgres ? [] : [DATABASE_FILE]), ...(secrets ? await copySecrets(dataDir, path) : [])];
    const contents = await describe(path, names, postgres);
    const archive = join(path, 'archive');
    const files: TarFile[] = [...names, CONTENTS_FILE].map((name) => ({ name, path: join(path, name) }));
    await writeArchive(archive, files);
    const { size } = await stat(archive);
    await rename(archive, file);
    return { contents, bytes: size, online, removed };
  } catch (error) {
    if (error instanceof BackupError) throw error;
    throw new BackupError(error instanceof Error ? error.message : String(error), { cause: error });
  } finally {
    await draft?.remove();
  }
}

/** True when the console that runs made the copy. */
async function copyDatabase(dataDir: string, to: string): Promise<boolean> {
  if (await askForCopy(dataDir, to)) return true;
  const path = join(dataDir, DATABASE_FILE);
  await stat(path).catch((error: unknown) => {
    throw new BackupError(`there is no database ${path}: name the folder of a console with --data-dir`, {
      cause: error,
    });
  });
  let database: Database.Database | undefined;
  try {
    database = new Database(path, { fileMustExist: true, timeout: 1_000 });
    await database.backup(to);
    return false;
  } catch (error) {
    const code = error instanceof Database.SqliteError ? error.code : '';
    if (code.startsWith('SQLITE_BUSY')) {
      const message = `the database ${path} is in use by a console that cannot be asked for a copy: stop it, and try again`;
      throw new BackupError(message, { cause: error });
    }
    throw error;
  } finally {
    database?.close();
  }
}

async function copySecrets(dataDir: string, to: string): Promise<string[]> {
  for (const name of SECRET_FILES) {
    await copyFile(join(dataDir, name), join(to, name)).catch((error: unknown) => {
      throw new BackupError(`the secrets file ${join(dataDir, name)} cannot be read: ${String(error)}`, {
        cause: error,
      });
    });
  }
  return [...SECRET_FILES];
}

async function describe(draft: string, names: readonly string[], postgres: boolean): Promise<BackupContents> {
  const digests = await Promise.all(names.map(async (name) => [name, await digestOf(join(draft, name))] as const));
  const contents: BackupContents = {
    format: 1,
    createdAtMs: Date.now(),
    storage: postgres ? 'postgres' : 'sqlite',
    files: Object.fromEntries(digests),
  };
  await writeFile(join(draft, CONTENTS_FILE), `${JSON.stringify(contents, null, 2)}\n`, { mode: 0o600 });
  return contents;
}

async function writeArchive(path: string, files: readonly TarFile[]): Promise<void> {
  const archive = await open(path, 'wx', 0o600);
  try {
    await writeTar(archive, files);
    await archive.sync();
  } finally {
    await archive.close();
  }
}

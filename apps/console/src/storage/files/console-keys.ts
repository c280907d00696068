import { access, constants, readFile, rm, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { UnusableDatabase } from '../../ports/unusable-database.ts';
import { createSecretFile } from './create-secret-file.ts';
import { MANIFEST_KEY_FILE, readManifestKey } from './manifest-key-file.ts';
import { makeFolder, readSecrets, unusableFolder, SECRETS_FILE, type ConsoleSecrets } from './secrets-file.ts';

/** A file of keys: what it holds, or is to hold. */
export interface KeyFile {
  readonly text: string;
  /** Drawn by this start, and in no file yet. */
  readonly isNew: boolean;
}

/**
 * The keys of a data directory. New ones are in memory only until `save`, so that a start that is refused leaves none behind;
 * and they are saved before a database is begun with them, so that none is ever without its keys.
 */
export class ConsoleKeys {
  readonly secrets: ConsoleSecrets & { manifestKey: string };
  /** Whether others could read the secrets file; they cannot any more. */
  readonly narrowed: boolean;
  readonly #files: ReadonlyMap<string, KeyFile>;
  /** The folders that this start made, the deepest first. */
  readonly #folders: readonly string[];
  readonly #saved = new Set<string>();

  private constructor(
    files: ReadonlyMap<string, KeyFile>,
    folders: readonly string[],
    { secrets, narrowed }: Pick<ConsoleKeys, 'secrets' | 'narrowed'>,
  ) {
    this.#files = files;
    this.#folders = folders;
    this.secrets = secrets;
    this.narrowed = narrowed;
  }

  /**
   * Reads the keys of a data directory, and draws those that it does not have. The directory is made if it is not there.
   * @param database name of the file that cannot be there without its secrets
   * @throws UnusableDatabase with a remedy when the directory cannot be made, or be written to although that is needed, and when a file is not what it should be, or is
   * missing beside a database
   */
  static async open(dataDir: string, database: string): Promise<ConsoleKeys> {
    const folders = foldersFrom(resolve(dataDir), await makeFolder(dataDir));
    try {
      const { secrets, narrowed, ...secretsFile } = await readSecrets(dataDir, database);
      const manifest = await readManifestKey(dataDir);
      const files = new Map<string, KeyFile>([
        [join(dataDir, SECRETS_FILE), secretsFile],
        [join(dataDir, MANIFEST_KEY_FILE), manifest],
      ]);
      if (secretsFile.isNew || manifest.isNew) await requireWritable(dataDir);
      return new ConsoleKeys(files, folders, { secrets: { ...secrets, manifestKey: manifest.text }, narrowed });
    } catch (error) {
      await removeFolders(folders);
      throw error;
    }
  }

  /** Writes the new keys into files of mode 0600; again: nothing. @throws UnusableDatabase when that cannot be done */
  async save(): Promise<void> {
    for (const [path, { text, isNew }] of this.#files) {
      if (!isNew || this.#saved.has(path)) continue;
      await createSecretFile(path, text).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST') throw changed(path);
        throw unusableFolder(dirname(path), error);
      });
      this.#saved.add(path);
    }
  }

  /**
   * Makes sure that the files still hold what was read: somebody may restore a backup at this moment, or start another console
   * with the same data directory.
   * @throws UnusableDatabase
   */
  async requireUnchanged(): Promise<void> {
    const path = await this.#changedFile();
    if (path !== undefined) throw changed(path);
  }

  /** Whether they do not. */
  async changed(): Promise<boolean> {
    return (await this.#changedFile()) !== undefined;
  }

  async #changedFile(): Promise<string | undefined> {
    for (const [path, { text, isNew }] of this.#files) {
      const expected = isNew && !this.#saved.has(path) ? null : text;
      // One that cannot be read any more was changed too.
      const found = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
        return error.code === 'ENOENT' ? null : undefined;
      });
      if (found !== expected) return path;
    }
    return undefined;
  }

  /**
   * Takes away what this start made.
   * @param begun whether there is a database that was begun with the keys: they stay with it then
   */
  async giveUp(begun: boolean): Promise<void> {
    if (!begun) {
      for (const path of this.#saved) await rm(path, { force: true });
      this.#saved.clear();
    }
    await removeFolders(this.#folders);
  }
}

function changed(path: string): UnusableDatabase {
  return new UnusableDatabase(
    `The file ${path} was changed while this console started, by a restore or by another console: start this one again.`,
  );
}

/** Before a database is made whose keys could not be written. */
async function requireWritable(dataDir: string): Promise<void> {
  await access(dataDir, constants.W_OK | constants.X_OK).catch((error: Error) => {
    throw unusableFolder(dataDir, error);
  });
}

/** Of `/a/b/c`, if `/a/b` was the first that was made: `/a/b/c` and `/a/b`. */
function foldersFrom(dataDir: string, first: string | undefined): string[] {
  if (first === undefined) return [];
  const folders = [dataDir];
  for (let folder = dataDir; folder !== resolve(first) && dirname(folder) !== folder;) {
    folder = dirname(folder);
    folders.push(folder);
  }
  return folders;
}

/** Those that are empty. */
async function removeFolders(folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    const removed = await rmdir(folder).then(
      () => true,
      () => false,
    );
    if (!removed) return;
  }
}

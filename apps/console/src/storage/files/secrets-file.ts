import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { UnusableDatabase } from '../../ports/unusable-database.ts';
import { createSecretFile } from './create-secret-file.ts';

const secret = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'must be 32 bytes in base64url');

/** Secrets of one console, kept beside its database and never in it. */
export interface ConsoleSecrets {
  version: 1;
  /** Key of AES-256-GCM for endpoint secrets: 32 bytes, base64url, like the others. */
  encryptionKey: string;
  /** Key of the hashes of session tokens. */
  sessionKey: string;
  /** What agents enrol with. */
  enrolmentToken: string;
  /** What a metrics scraper sends. */
  metricsToken: string;
}

const secretsFile = z.strictObject({
  version: z.literal(1),
  encryptionKey: secret,
  sessionKey: secret,
  enrolmentToken: secret,
  metricsToken: secret,
});

/** Name of the file in the data directory. */
export const SECRETS_FILE = 'secrets.json';

/**
 * Reads the secrets of a data directory, and makes both on the first start: the directory with mode 0700, the file with
 * 0600. A file that others may read is narrowed to 0600.
 * @param database name of the file that cannot be there without its secrets
 * @throws UnusableDatabase with a remedy when the directory cannot be made or written to, and when the file is not a
 * secrets file or is missing beside a database
 */
export async function loadSecrets(
  dataDir: string,
  database: string,
): Promise<{ secrets: ConsoleSecrets; created: boolean; narrowed: boolean }> {
  const path = join(dataDir, SECRETS_FILE);
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    return await readOrCreate(path, join(dataDir, database));
  } catch (error) {
    if (error instanceof UnusableDatabase) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new UnusableDatabase(
      `The data directory ${dataDir} cannot be used: ${message}. It must be a folder that this user owns and may write to.`,
      { cause: error },
    );
  }
}

async function readOrCreate(
  path: string,
  database: string,
): Promise<{ secrets: ConsoleSecrets; created: boolean; narrowed: boolean }> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new UnusableDatabase(`The secrets file ${path} cannot be read: ${error.message}`, { cause: error });
  });
  if (text === undefined) {
    if (await exists(database)) {
      throw new UnusableDatabase(`The secrets file ${path} is missing beside its database: ${REMEDY}.`);
    }
    return { secrets: await create(path), created: true, narrowed: false };
  }
  const mode = (await stat(path)).mode & 0o777;
  const narrowed = (mode & 0o077) !== 0;
  if (narrowed) await chmod(path, 0o600);
  return { secrets: parse(path, text), created: false, narrowed };
}

const REMEDY = 'restore it from a backup; without it the saved endpoint secrets cannot be read';

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function parse(path: string, text: string): ConsoleSecrets {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new UnusableDatabase(`The secrets file ${path} is not JSON: ${REMEDY}.`);
  }
  const result = secretsFile.safeParse(json);
  if (result.success) return result.data;
  const fields = result.error.issues.map((issue) => issue.path.join('.')).join(', ');
  throw new UnusableDatabase(`The secrets file ${path} is not valid (${fields}): ${REMEDY}.`);
}

function fresh(): string {
  return randomBytes(32).toString('base64url');
}

async function create(path: string): Promise<ConsoleSecrets> {
  const secrets: ConsoleSecrets = {
    version: 1,
    encryptionKey: fresh(),
    sessionKey: fresh(),
    enrolmentToken: fresh(),
    metricsToken: fresh(),
  };
  await createSecretFile(path, `${JSON.stringify(secrets, null, 2)}\n`);
  return secrets;
}

import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { UnusableDatabase } from '../../ports/unusable-database.ts';

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
 * Makes a data directory with mode 0700, if it is not there.
 * @returns the first folder on the way to it that was made
 * @throws UnusableDatabase with a remedy
 */
export async function makeFolder(dataDir: string): Promise<string | undefined> {
  return mkdir(dataDir, { recursive: true, mode: 0o700 }).catch((error: Error) => {
    throw unusableFolder(dataDir, error);
  });
}

/** What is said of a data directory in which nothing can be made. */
export function unusableFolder(dataDir: string, cause: Error): UnusableDatabase {
  return new UnusableDatabase(
    `The data directory ${dataDir} cannot be used: ${cause.message}. It must be a folder that this user owns and may write to.`,
    { cause },
  );
}

/**
 * Reads the secrets of a data directory; those of a new one are drawn, and written nowhere. A file that others may read is
 * narrowed to 0600.
 * @param database name of the file that cannot be there without its secrets
 * @throws UnusableDatabase with a remedy when the file is not a secrets file, or is missing beside a database
 */
export async function readSecrets(
  dataDir: string,
  database: string,
): Promise<{ secrets: ConsoleSecrets; text: string; isNew: boolean; narrowed: boolean }> {
  const path = join(dataDir, SECRETS_FILE);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new UnusableDatabase(`The secrets file ${path} cannot be read: ${error.message}`, { cause: error });
  });
  if (text === undefined) {
    if (await exists(join(dataDir, database))) {
      throw new UnusableDatabase(`The secrets file ${path} is missing beside its database: ${REMEDY}.`);
    }
    const secrets = freshSecrets();
    return { secrets, text: `${JSON.stringify(secrets, null, 2)}\n`, isNew: true, narrowed: false };
  }
  const mode = (await stat(path)).mode & 0o777;
  const narrowed = (mode & 0o077) !== 0;
  if (narrowed) await chmod(path, 0o600);
  return { secrets: parse(path, text), text, isNew: false, narrowed };
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

function freshSecrets(): ConsoleSecrets {
  return {
    version: 1,
    encryptionKey: fresh(),
    sessionKey: fresh(),
    enrolmentToken: fresh(),
    metricsToken: fresh(),
  };
}

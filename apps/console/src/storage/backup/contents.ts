import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { z } from 'zod';
import { MANIFEST_KEY_FILE } from '../files/manifest-key-file.ts';
import { SECRETS_FILE } from '../files/secrets-file.ts';

/** Name of the SQLite file in the data directory. */
export const DATABASE_FILE = 'weir.db';
/** Files that hold secrets, in the order in which they are restored. */
export const SECRET_FILES: readonly string[] = [SECRETS_FILE, MANIFEST_KEY_FILE];
/** The list of contents; the last file of an archive, because the others are counted as they are written. */
export const CONTENTS_FILE = 'weir-backup.json';

/** What an archive says about itself. */
export interface BackupContents {
  format: 1;
  createdAtMs: number;
  storage: 'sqlite' | 'postgres';
  /** SHA-256 of each file, hex. */
  files: Partial<Record<string, string>>;
}

/** Reads it. */
export const backupContents: z.ZodType<BackupContents> = z.strictObject({
  format: z.literal(1),
  createdAtMs: z.number(),
  storage: z.enum(['sqlite', 'postgres']),
  files: z.partialRecord(z.enum([DATABASE_FILE, SECRETS_FILE, MANIFEST_KEY_FILE]), z.string().regex(/^[0-9a-f]{64}$/)),
});

/** SHA-256 of a file, hex. */
export async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a stream without an encoding yields buffers
    hash.update(chunk as Buffer);
  }
  return hash.digest('hex');
}

import { generateKeyPairSync } from 'node:crypto';
import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UnusableDatabase } from '../../ports/unusable-database.ts';

/** Name of the file in the data directory. */
export const MANIFEST_KEY_FILE = 'manifest-key.pem';

/**
 * The private key that signs manifests (Ed25519, PKCS #8 in PEM), drawn when there is none; a file that others may read is
 * narrowed to 0600. A new key makes new manifests verify against another public key; old ones carry theirs.
 * @throws UnusableDatabase when it cannot be read
 */
export async function readManifestKey(dataDir: string): Promise<{ text: string; isNew: boolean }> {
  const path = join(dataDir, MANIFEST_KEY_FILE);
  try {
    const known = await readIfThere(path);
    if (known === undefined) return { text: fresh(), isNew: true };
    await chmod(path, 0o600);
    return { text: known, isNew: false };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new UnusableDatabase(`The manifest key ${path} cannot be used: ${message}`, { cause: error });
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

function fresh(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

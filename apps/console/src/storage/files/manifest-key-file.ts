import { generateKeyPairSync } from 'node:crypto';
import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UnusableDatabase } from '../../ports/unusable-database.ts';
import { createSecretFile } from './create-secret-file.ts';

/** Name of the file in the data directory. */
export const MANIFEST_KEY_FILE = 'manifest-key.pem';

/**
 * The private key that signs manifests (Ed25519, PKCS #8 in PEM), made when there is none; mode 0600. A new key makes new
 * manifests verify against another public key; old ones carry theirs.
 * @throws UnusableDatabase when it cannot be read or written
 */
export async function loadManifestKey(dataDir: string): Promise<string> {
  const path = join(dataDir, MANIFEST_KEY_FILE);
  try {
    const known = await readIfThere(path);
    if (known !== undefined) {
      await chmod(path, 0o600);
      return known;
    }
    return await create(path);
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

async function create(path: string): Promise<string> {
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  await createSecretFile(path, pem);
  return pem;
}

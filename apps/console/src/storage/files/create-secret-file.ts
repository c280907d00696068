import { randomBytes } from 'node:crypto';
import { link, open, rm } from 'node:fs/promises';

/**
 * Makes a file that only its owner may read. Written whole under another name first: a crash leaves no half file, and of two
 * first starts one wins.
 * @throws Error with `code` EEXIST when the file is there already, and what the file system fails with
 */
export async function createSecretFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomBytes(4).toString('hex')}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    await link(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}

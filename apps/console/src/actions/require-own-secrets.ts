import type { SecretBox } from '../ports/secret-box.ts';
import type { Stores } from '../ports/storage.ts';
import { UnusableDatabase } from '../ports/unusable-database.ts';
import { KEY_CHECK, opensKeyCheck, sealKeyCheck } from '../security/key-check.ts';

/**
 * Makes sure that the encryption key belongs to the database, before something is encrypted with another one.
 * @param keep told before the database is begun with the key, and when it was: the key has to be in a file from then on
 * @throws UnusableDatabase with a remedy when the key is not the one that the database was begun with
 */
export async function requireOwnSecrets(
  storage: Pick<Stores, 'settings'>,
  secretBox: SecretBox,
  keep: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const sealed = await storage.settings.state(KEY_CHECK);
  if (sealed === undefined) {
    await keep();
    await storage.settings.saveState(KEY_CHECK, sealKeyCheck(secretBox));
    return;
  }
  if (opensKeyCheck(sealed, secretBox)) return keep();
  throw new UnusableDatabase(
    'The secrets file does not belong to this database: the saved endpoint secrets cannot be read with its key. ' +
      'Restore the secrets.json that was saved together with the database.',
  );
}

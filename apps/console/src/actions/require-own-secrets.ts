import type { SecretBox } from '../ports/secret-box.ts';
import type { Stores } from '../ports/storage.ts';
import { UnusableDatabase } from '../ports/unusable-database.ts';

const NAME = 'key-check';
const KNOWN_TEXT = 'weir';

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
  const sealed = await storage.settings.state(NAME);
  if (sealed === undefined) {
    await keep();
    await storage.settings.saveState(NAME, JSON.stringify(secretBox.seal(KNOWN_TEXT, NAME)));
    return;
  }
  if (opens(sealed, secretBox)) return keep();
  throw new UnusableDatabase(
    'The secrets file does not belong to this database: the saved endpoint secrets cannot be read with its key. ' +
      'Restore the secrets.json that was saved together with the database.',
  );
}

function opens(sealed: string, secretBox: SecretBox): boolean {
  try {
    return secretBox.open(String(JSON.parse(sealed)), NAME) === KNOWN_TEXT;
  } catch {
    return false;
  }
}

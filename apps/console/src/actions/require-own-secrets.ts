import type { SecretBox } from '../ports/secret-box.ts';
import type { Stores } from '../ports/storage.ts';
import { UnusableDatabase } from '../ports/unusable-database.ts';

const NAME = 'key-check';
const KNOWN_TEXT = 'weir';

/**
 * Makes sure that the encryption key belongs to the database, before something is encrypted with another one.
 * @throws UnusableDatabase with a remedy when the key is not the one that the database was begun with
 */
export async function requireOwnSecrets(storage: Pick<Stores, 'settings'>, secretBox: SecretBox): Promise<void> {
  const sealed = await storage.settings.state(NAME);
  if (sealed === undefined) {
    await storage.settings.saveState(NAME, JSON.stringify(secretBox.seal(KNOWN_TEXT, NAME)));
    return;
  }
  try {
    if (secretBox.open(String(JSON.parse(sealed)), NAME) === KNOWN_TEXT) return;
  } catch {
    // Falls through to the one message that helps.
  }
  throw new UnusableDatabase(
    'The secrets file does not belong to this database: the saved endpoint secrets cannot be read with its key. ' +
      'Restore the secrets.json that was saved together with the database.',
  );
}

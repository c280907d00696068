import type { SecretBox } from '../ports/secret-box.ts';

/** Row of `states` that tells which encryption key a database was begun with: a known text, sealed with it. */
export const KEY_CHECK = 'key-check';
const KNOWN_TEXT = 'weir';

/** What the row holds. */
export function sealKeyCheck(secretBox: SecretBox): string {
  return JSON.stringify(secretBox.seal(KNOWN_TEXT, KEY_CHECK));
}

/** Whether it was sealed with this key. */
export function opensKeyCheck(sealed: string, secretBox: SecretBox): boolean {
  try {
    return secretBox.open(String(JSON.parse(sealed)), KEY_CHECK) === KNOWN_TEXT;
  } catch {
    return false;
  }
}

import { createHmac, hkdfSync } from 'node:crypto';

/** The secrets that every console of a group has alike. */
export interface SharedSecrets {
  readonly encryptionKey: string;
  readonly sessionKey: string;
  readonly enrolmentToken: string;
  readonly metricsToken: string;
  /** PEM. */
  readonly manifestKey: string;
}

/** Begin of the group's keys in Redis: two groups on one server do not meet. The database tells whose secrets these are. */
export function groupKey(secrets: Pick<SharedSecrets, 'encryptionKey'>): string {
  return `weir:${keyed(secrets.encryptionKey, 'group').slice(0, 16)}`;
}

/** Same for the same secrets, and tells nothing about them. */
export function fingerprint(secrets: SharedSecrets): string {
  const { sessionKey, enrolmentToken, metricsToken, manifestKey } = secrets;
  return keyed(secrets.encryptionKey, JSON.stringify([sessionKey, enrolmentToken, metricsToken, manifestKey.trim()]));
}

/** Key of the signatures by which consoles know each other. */
export function peerKey({ encryptionKey, sessionKey }: SharedSecrets): Buffer {
  return Buffer.from(hkdfSync('sha256', encryptionKey + sessionKey, '', 'weir peer', 32));
}

function keyed(key: string, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex');
}

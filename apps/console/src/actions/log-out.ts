import { keyedDigestOf } from '../security/digests.ts';
import { audit } from './audit-trail.ts';
import type { ConsoleContext } from './context.ts';

/** Ends the session that a cookie's token belongs to. */
export async function logOut(context: ConsoleContext, token: string, username: string): Promise<void> {
  await context.storage.transaction(async (stores) => {
    await stores.accounts.endSession(keyedDigestOf(token, context.sessionKey));
    await audit(context, stores, { actor: username, action: 'logout', subject: username, detail: {} });
  });
}

import type { SessionView } from '@weir/protocol';
import { keyedDigestOf } from '../security/digests.ts';
import type { ConsoleContext } from './context.ts';

/** Who a cookie's token belongs to; undefined when it is unknown, ended or expired. */
export async function findSession(context: ConsoleContext, token: string): Promise<SessionView | undefined> {
  const hash = keyedDigestOf(token, context.sessionKey);
  const found = await context.storage.accounts.session(hash, context.clock.nowMs());
  return found && { username: found.account.username, role: found.account.role };
}

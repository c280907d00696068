import { changeOwnPassword } from '../../actions/change-own-password.ts';
import { changeRole } from '../../actions/change-role.ts';
import type { ConsoleContext } from '../../actions/context.ts';
import { createAccount } from '../../actions/create-account.ts';
import { deleteAccount } from '../../actions/delete-account.ts';
import { listAccounts } from '../../actions/list-accounts.ts';
import { readAuditLog } from '../../actions/read-audit-log.ts';
import { resetPassword } from '../../actions/reset-password.ts';
import { personOf, type Handlers } from '../call.ts';

/** Accounts, one's own password, and the audit log. */
export function accountRoutes(
  context: ConsoleContext,
): Pick<
  Handlers,
  'changeOwnPassword' | 'accounts' | 'createAccount' | 'changeRole' | 'resetPassword' | 'deleteAccount' | 'auditLog'
> {
  return {
    async changeOwnPassword(call) {
      const { username, role } = personOf(call);
      const session = await changeOwnPassword(context, username, call.body, call.address);
      call.cookie.set(session.token, session.maxAgeSeconds);
      return { username, role };
    },
    accounts: async () => ({ accounts: await listAccounts(context) }),
    createAccount: (call) => createAccount(context, call.body, personOf(call).username),
    changeRole: (call) => changeRole(context, call.params.username, call.body.role, personOf(call).username),
    resetPassword: (call) => resetPassword(context, call.params.username, call.body.password, personOf(call).username),
    async deleteAccount(call) {
      await deleteAccount(context, call.params.username, personOf(call).username);
      return {};
    },
    auditLog: ({ query }) => readAuditLog(context, query),
  };
}

import { z } from 'zod';
import {
  accountInput,
  accountList,
  accountSaved,
  accountView,
  ownPasswordChange,
  passwordReset,
  roleChange,
  username,
} from './accounts.ts';
import { auditPage, auditQuery } from './audit-trail.ts';
import { route } from './route.ts';
import { empty, sessionView } from './session.ts';

const accountParams = z.object({ username });

/** Accounts, one's own password, and the audit log. */
export const accountRoutes = {
  changeOwnPassword: route('PUT', '/api/v1/session/password', 'viewer', 'Change the own password', {
    body: ownPasswordChange,
    response: sessionView,
  }),
  accounts: route('GET', '/api/v1/accounts', 'admin', 'All accounts', { response: accountList }),
  createAccount: route('POST', '/api/v1/accounts', 'admin', 'Add an account', {
    body: accountInput,
    response: accountSaved,
  }),
  changeRole: route('PUT', '/api/v1/accounts/:username/role', 'admin', 'Give an account another role', {
    params: accountParams,
    body: roleChange,
    response: accountView,
  }),
  resetPassword: route('POST', '/api/v1/accounts/:username/password', 'admin', 'Set the password of an account', {
    params: accountParams,
    body: passwordReset,
    response: accountSaved,
  }),
  deleteAccount: route('DELETE', '/api/v1/accounts/:username', 'admin', 'Delete an account', {
    params: accountParams,
    response: empty,
  }),
  auditLog: route('GET', '/api/v1/audit-log', 'admin', 'Who did what, newest first', {
    query: auditQuery,
    response: auditPage,
  }),
} as const;

import { ROLES, type Role } from '@weir/protocol';

/** What each role may do; each includes the one before. */
export const ROLE_WORDS: Readonly<Record<Role, { label: string; text: string }>> = {
  viewer: { label: 'Viewer', text: 'Looks at everything but accounts, webhooks and the audit log; changes nothing.' },
  operator: { label: 'Operator', text: 'Runs copy jobs and audits, acknowledges alarms, tries quotas out.' },
  admin: { label: 'Administrator', text: 'Also changes settings, endpoints, agents, quotas, webhooks and accounts.' },
};

/** Roles as they are offered, least first. */
export const ROLE_CHOICES: readonly { role: Role; label: string; text: string }[] = ROLES.map((role) => ({
  role,
  ...ROLE_WORDS[role],
}));

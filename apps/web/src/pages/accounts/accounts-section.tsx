import { useState, type ReactElement } from 'react';
import type { AccountSaved, AccountView } from '@weir/protocol';
import { useAccounts } from '../../data/accounts.ts';
import { useMay, useSession } from '../../data/session.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { Remark } from '../../components/remark.tsx';
import { Cell, Column, RowHeader, Table } from '../../components/table.tsx';
import { toastDone } from '../../components/toasts.tsx';
import { formatCount } from '../../format/numbers.ts';
import { formatDateTime } from '../../format/time.ts';
import { ROLE_WORDS } from '../../words/role-words.ts';
import { DeleteDialog, ResetDialog, RoleDialog } from './account-changes.tsx';
import { AccountDialog } from './account-form.tsx';
import { MadeSecret } from './made-secret.tsx';
import styles from './accounts.module.css';

type Asking = { what: 'role' | 'password' | 'delete'; account: AccountView };

/** Who may log in, and as what. */
export function AccountsSection(): ReactElement {
  const may = useMay('admin');
  if (may) return <Accounts />;
  return (
    <Card>
      <EmptyState icon="user" title="Only administrators see the accounts">
        Your own password is under My password.
      </EmptyState>
    </Card>
  );
}

function Accounts(): ReactElement {
  const accounts = useAccounts();
  const [adding, setAdding] = useState(false);
  const [asking, setAsking] = useState<Asking | null>(null);
  const [made, setMade] = useState<{ username: string; password: string } | null>(null);
  const close = (): void => {
    setAdding(false);
    setAsking(null);
  };
  const saved =
    (done: string) =>
    ({ account: { username }, password }: AccountSaved): void => {
      close();
      if (password === null) toastDone(`${username} ${done}`);
      else setMade({ username, password });
    };
  return (
    <Card
      title="Accounts"
      description="Each role includes the one before: viewer, operator, administrator."
      flush
      actions={
        <Button variant="primary" icon="plus" onClick={() => setAdding(true)}>
          Add account
        </Button>
      }
    >
      <QueryState query={accounts} placeholderHeight={220}>
        {(list) => <AccountTable accounts={list} onAsk={setAsking} />}
      </QueryState>
      {adding && <AccountDialog onClose={close} onCreated={saved('is added')} />}
      {asking?.what === 'role' && <RoleDialog account={asking.account} onClose={close} />}
      {asking?.what === 'delete' && <DeleteDialog account={asking.account} onClose={close} />}
      {asking?.what === 'password' && (
        <ResetDialog account={asking.account} onClose={close} onReset={saved('has the new password')} />
      )}
      {made !== null && (
        <MadeSecret
          title={`Password of ${made.username}`}
          label={`Password of ${made.username}`}
          secret={made.password}
          onClose={() => setMade(null)}
        >
          The console keeps only its hash. It can be changed under My password after the first login.
        </MadeSecret>
      )}
    </Card>
  );
}

function AccountTable({
  accounts,
  onAsk,
}: {
  accounts: readonly AccountView[];
  onAsk: (asking: Asking) => void;
}): ReactElement {
  return (
    <Table
      label="Accounts"
      head={
        <>
          <Column>User</Column>
          <Column>Role</Column>
          <Column>Last login</Column>
          <Column>Password set</Column>
          <Column numeric hint="Logins that have not ended">
            Sessions
          </Column>
          <Column numeric>
            <span className="visually-hidden">Actions</span>
          </Column>
        </>
      }
    >
      {accounts.map((account) => (
        <AccountRow key={account.username} account={account} onAsk={onAsk} />
      ))}
    </Table>
  );
}

function AccountRow({ account, onAsk }: { account: AccountView; onAsk: (asking: Asking) => void }): ReactElement {
  const own = useSession().data?.username === account.username;
  const { username, role } = account;
  return (
    <tr>
      <RowHeader>
        {username}
        {own && <Remark>this is you</Remark>}
      </RowHeader>
      <Cell name="Role">
        <Badge tone={role === 'admin' ? 'accent' : 'gray'}>{ROLE_WORDS[role].label}</Badge>
      </Cell>
      <Cell name="Last login" className={styles.moment}>
        {account.lastLoginAtMs === null ? 'never seen' : formatDateTime(account.lastLoginAtMs)}
      </Cell>
      <Cell name="Password set" className={styles.moment}>
        {account.passwordChangedAtMs === null ? 'not known' : formatDateTime(account.passwordChangedAtMs)}
        {account.createdBy !== null && <Remark>added by {account.createdBy}</Remark>}
      </Cell>
      <Cell name="Sessions" numeric>
        {formatCount(account.sessions)}
      </Cell>
      <Cell numeric className={styles.actionCell}>
        <span className={styles.actions}>
          <Button small aria-label={`Change the role of ${username}`} onClick={() => onAsk({ what: 'role', account })}>
            Role
          </Button>
          <Button
            small
            aria-label={`Set a password for ${username}`}
            onClick={() => onAsk({ what: 'password', account })}
          >
            Password
          </Button>
          <Button small aria-label={`Delete ${username}`} onClick={() => onAsk({ what: 'delete', account })}>
            Delete
          </Button>
        </span>
      </Cell>
    </tr>
  );
}

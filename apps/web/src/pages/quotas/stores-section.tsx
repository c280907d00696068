import { useState, type ReactElement } from 'react';
import type { QuotaStoreView } from '@weir/protocol';
import { useDeleteQuotaStore, useQuotaStores } from '../../data/quotas.ts';
import { useMay } from '../../data/session.ts';
import { Address } from '../../components/address.tsx';
import { Badge } from '../../components/badge.tsx';
import { Button, ButtonLink } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { Age } from '../../components/countdown.tsx';
import { Details } from '../../components/details.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { Notice } from '../../components/notice.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { Remark } from '../../components/remark.tsx';
import { toastDone } from '../../components/toasts.tsx';
import { formatBytes, formatCount, formatPlural } from '../../format/numbers.ts';
import { storeState, WARNING_WORDS } from '../../words/quota-words.ts';
import { StoreDialog } from './store-form.tsx';
import styles from './quotas.module.css';

/** Where counters live, and whether their deadlines hold. */
export function StoresSection(): ReactElement {
  const stores = useQuotaStores();
  const may = useMay('admin');
  const [adding, setAdding] = useState(false);
  return (
    <>
      <Card
        title="Stores"
        description="Looked at every 30 seconds. A counter is exact only while its store keeps it until its deadline, and not longer."
        actions={
          may && (
            <Button variant="primary" icon="plus" onClick={() => setAdding(true)}>
              Connect store
            </Button>
          )
        }
      >
        <QueryState query={stores} placeholderHeight={40}>
          {(list) => (
            <Remark as="p">
              {formatPlural(list.length, 'store')},{' '}
              {formatCount(list.filter(({ warnings, state }) => warnings.length > 0 || state === 'down').length)} to
              look at.
            </Remark>
          )}
        </QueryState>
      </Card>
      <div className={styles.stores}>
        {stores.data?.map((store) => (
          <StoreCard key={store.storeId} store={store} removable={may && !store.builtIn} />
        ))}
      </div>
      {adding && (
        <StoreDialog
          onClose={() => setAdding(false)}
          onCreated={({ name }) => {
            setAdding(false);
            toastDone(`${name} is connected`);
          }}
        />
      )}
    </>
  );
}

function StoreCard({ store, removable }: { store: QuotaStoreView; removable: boolean }): ReactElement {
  const [asking, setAsking] = useState(false);
  const state = storeState(store);
  return (
    <Card
      title={store.name}
      description={
        <>
          <Badge tone={state.tone} dot>
            {state.label}
          </Badge>{' '}
          <Address address={store.address} />
        </>
      }
      actions={
        <>
          {store.kind !== 'memory' && (
            <ButtonLink href="/quotas/audits" small>
              Audit
            </ButtonLink>
          )}
          {removable && (
            <Button small aria-label={`Remove ${store.name}`} onClick={() => setAsking(true)}>
              Remove
            </Button>
          )}
        </>
      }
    >
      <div className={styles.warnings}>
        {store.problem !== null && (
          <Notice tone="red" title="It cannot be reached.">
            {store.problem}
          </Notice>
        )}
        {store.warnings.map((warning) => (
          <Notice key={warning} tone="amber" title={WARNING_WORDS[warning].title}>
            {WARNING_WORDS[warning].remedy}
          </Notice>
        ))}
      </div>
      <div className={styles.facts}>
        <Details items={factsOf(store)} />
      </div>
      {asking && <RemoveDialog store={store} onClose={() => setAsking(false)} />}
    </Card>
  );
}

function factsOf({
  kind,
  profile,
  health,
  definitions,
}: QuotaStoreView): { name: string; value: ReactElement | string }[] {
  const unknown = 'not known';
  const count = (value: number | null | undefined): string =>
    value === null || value === undefined ? unknown : formatCount(value);
  return [
    { name: 'Quotas defined', value: formatCount(definitions) },
    { name: 'Counts by', value: profile === null ? unknown : `${profile.mechanism} (${profile.capability})` },
    {
      name: 'Several at once',
      value: profile === null ? unknown : profile.atomicGroups ? 'all or nothing in one step' : 'step by step',
    },
    { name: 'Entries', value: count(health?.entries) },
    { name: 'Without a deadline', value: count(health?.undated) },
    {
      name: 'When full',
      value: kind === 'memory' ? 'refuses new counters' : (health?.evictionPolicy ?? unknown),
    },
    { name: 'Evicted', value: count(health?.evicted) },
    { name: 'Memory', value: memoryOf(health) },
    { name: 'Restarts seen', value: count(health?.restarts) },
    { name: 'Looked at', value: health === null ? 'not yet' : <Age atMs={health.lookedAtMs} /> },
  ];
}

function memoryOf(health: QuotaStoreView['health']): string {
  if (health?.usedBytes === null || health?.usedBytes === undefined) return 'not known';
  const { usedBytes, maxBytes } = health;
  return maxBytes === null || maxBytes === 0
    ? formatBytes(usedBytes)
    : `${formatBytes(usedBytes)} of ${formatBytes(maxBytes)}`;
}

function RemoveDialog({ store, onClose }: { store: QuotaStoreView; onClose: () => void }): ReactElement {
  const remove = useDeleteQuotaStore();
  return (
    <ConfirmDialog
      open
      title={`Remove ${store.name}?`}
      confirmLabel="Remove the store"
      danger
      busy={remove.isPending}
      error={remove.error}
      onCancel={onClose}
      onConfirm={() =>
        remove.mutate(store.storeId, {
          onSuccess: () => {
            toastDone(`${store.name} is removed`);
            onClose();
          },
        })
      }
    >
      This console forgets the address and the password. What stands in the store stays there. A store with quotas
      cannot be removed.
    </ConfirmDialog>
  );
}

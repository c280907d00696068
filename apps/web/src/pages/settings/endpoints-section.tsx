import { useState, type ReactElement } from 'react';
import type { EndpointView } from '@weir/protocol';
import { useDeleteEndpoint, useEndpoints } from '../../data/endpoints.ts';
import { useMay } from '../../data/session.ts';
import { Address } from '../../components/address.tsx';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { Remark } from '../../components/remark.tsx';
import { Cell, Column, RowHeader, Table } from '../../components/table.tsx';
import { toastDone } from '../../components/toasts.tsx';
import { formatDateTime } from '../../format/time.ts';
import { EndpointDialog } from '../endpoints/endpoint-dialog.tsx';
import styles from './endpoints-section.module.css';

/** S3 servers that jobs may use. */
export function EndpointsSection(): ReactElement {
  const endpoints = useEndpoints();
  const may = useMay('admin');
  const [adding, setAdding] = useState(false);
  return (
    <Card
      title="Endpoints"
      description="S3 servers that jobs copy from and to. Secret keys are stored encrypted and never shown."
      flush
      actions={
        may && (
          <Button variant="primary" icon="plus" onClick={() => setAdding(true)}>
            Add endpoint
          </Button>
        )
      }
    >
      <QueryState query={endpoints} placeholderHeight={220}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState icon="database" title="No endpoints yet">
              {may ? 'Add source and target; each is tested before it is saved.' : 'Ask an administrator to add them.'}
            </EmptyState>
          ) : (
            <EndpointTable endpoints={list} removable={may} />
          )
        }
      </QueryState>
      <EndpointDialog
        open={adding}
        onClose={() => setAdding(false)}
        onCreated={(endpoint) => {
          setAdding(false);
          toastDone(`${endpoint.name} is saved`, 'The endpoint was reached and accepted the credentials.');
        }}
      />
    </Card>
  );
}

function EndpointTable({
  endpoints,
  removable,
}: {
  endpoints: readonly EndpointView[];
  removable: boolean;
}): ReactElement {
  const [asking, setAsking] = useState<EndpointView | null>(null);
  return (
    <>
      <Table
        label="Endpoints"
        head={
          <>
            <Column>Name</Column>
            <Column>Address</Column>
            <Column>Region</Column>
            <Column>Access key</Column>
            <Column>Added</Column>
            {removable && (
              <Column numeric>
                <span className="visually-hidden">Actions</span>
              </Column>
            )}
          </>
        }
      >
        {endpoints.map((endpoint) => (
          <tr key={endpoint.endpointId}>
            <RowHeader>{endpoint.name}</RowHeader>
            <Cell name="Address" wide>
              <Address address={endpoint.url} />
              {!endpoint.pathStyle && <Remark>virtual-hosted buckets</Remark>}
            </Cell>
            <Cell name="Region">{endpoint.region}</Cell>
            <Cell name="Access key" wide className={styles.breakable}>
              {endpoint.accessKeyId}
            </Cell>
            <Cell name="Added" className={styles.moment}>
              {formatDateTime(endpoint.createdAtMs)}
            </Cell>
            {removable && (
              <Cell numeric>
                <Button small aria-label={`Remove ${endpoint.name}`} onClick={() => setAsking(endpoint)}>
                  Remove
                </Button>
              </Cell>
            )}
          </tr>
        ))}
      </Table>
      {asking !== null && <RemoveDialog endpoint={asking} onClose={() => setAsking(null)} />}
    </>
  );
}

function RemoveDialog({ endpoint, onClose }: { endpoint: EndpointView; onClose: () => void }): ReactElement {
  const remove = useDeleteEndpoint();
  return (
    <ConfirmDialog
      open
      title={`Remove ${endpoint.name}?`}
      confirmLabel="Remove the endpoint"
      danger
      busy={remove.isPending}
      error={remove.error}
      onCancel={onClose}
      onConfirm={() =>
        remove.mutate(endpoint.endpointId, {
          onSuccess: () => {
            toastDone(`${endpoint.name} is removed`);
            onClose();
          },
        })
      }
    >
      Its credentials are deleted from the console. Objects on the server stay as they are. An endpoint that unfinished
      jobs use cannot be removed.
    </ConfirmDialog>
  );
}

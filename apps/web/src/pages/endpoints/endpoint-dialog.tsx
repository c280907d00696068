import type { ReactElement } from 'react';
import type { EndpointView } from '@weir/protocol';
import { Dialog } from '../../components/dialog.tsx';
import { EndpointForm } from './endpoint-form.tsx';

/** Adds an endpoint without leaving the page. */
export function EndpointDialog({
  open,
  onClose,
  onCreated,
}: {
  open: boolean;
  onClose: () => void;
  onCreated: (endpoint: EndpointView, buckets: readonly string[] | null) => void;
}): ReactElement {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Add an endpoint"
      description="An S3 server that jobs copy from or to. It is tested before it is saved; the secret key is stored encrypted and never shown again."
    >
      <EndpointForm onCreated={onCreated} onCancel={onClose} />
    </Dialog>
  );
}

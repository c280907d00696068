import { useSyncExternalStore, type ReactElement } from 'react';
import { ConfirmDialog } from '../components/dialog.tsx';
import { answerLeave, pendingLeave, subscribeLeave } from './leave-guard.ts';

/** Asks whether unsaved changes may be lost. */
export function LeaveDialog(): ReactElement {
  const pending = useSyncExternalStore(subscribeLeave, pendingLeave);
  return (
    <ConfirmDialog
      open={pending !== null}
      title="Leave without saving?"
      confirmLabel="Leave and discard"
      cancelLabel="Stay"
      danger
      onConfirm={() => answerLeave(true)}
      onCancel={() => answerLeave(false)}
    >
      This page has changes that are not saved.
    </ConfirmDialog>
  );
}

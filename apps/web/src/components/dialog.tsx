import { AlertDialog } from '@base-ui/react/alert-dialog';
import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import type { ReactElement, ReactNode } from 'react';
import { Button, IconButton } from './button.tsx';
import { ErrorNotice } from './notice.tsx';
import { cx } from './class-names.ts';
import styles from './dialog.module.css';

/** A dialog over the page; Escape and the backdrop close it, focus returns to where it came from. */
export function Dialog({
  open,
  onClose,
  title,
  description,
  children,
}: {
  open: boolean;
  onClose: () => void;
  title: string;
  description?: ReactNode;
  children: ReactNode;
}): ReactElement {
  return (
    <BaseDialog.Root
      open={open}
      onOpenChange={(next) => {
        if (!next) onClose();
      }}
    >
      <BaseDialog.Portal>
        <BaseDialog.Backdrop data-backdrop="" className={cx(styles.backdrop)} />
        <BaseDialog.Popup className={cx(styles.popup)}>
          <div className={styles.head}>
            <BaseDialog.Title className={cx(styles.title)}>{title}</BaseDialog.Title>
            <BaseDialog.Close render={<IconButton icon="close" label="Close" />} />
          </div>
          {description !== undefined && (
            <BaseDialog.Description className={cx(styles.description)}>{description}</BaseDialog.Description>
          )}
          {children}
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}

/** Asks before something that cannot be undone, or not easily. The safe answer has the focus. */
export function ConfirmDialog({
  open,
  title,
  confirmLabel,
  cancelLabel = 'Cancel',
  danger = false,
  busy = false,
  error = null,
  onConfirm,
  onCancel,
  children,
}: {
  open: boolean;
  title: string;
  confirmLabel: string;
  cancelLabel?: string;
  danger?: boolean;
  busy?: boolean;
  error?: unknown;
  onConfirm: () => void;
  onCancel: () => void;
  children: ReactNode;
}): ReactElement {
  return (
    <AlertDialog.Root
      open={open}
      onOpenChange={(next) => {
        if (!next && !busy) onCancel();
      }}
    >
      <AlertDialog.Portal>
        <AlertDialog.Backdrop data-backdrop="" className={cx(styles.backdrop)} />
        <AlertDialog.Popup className={cx(styles.popup, styles.small)}>
          <AlertDialog.Title className={cx(styles.title)}>{title}</AlertDialog.Title>
          <AlertDialog.Description className={cx(styles.description)} render={<div />}>
            {children}
          </AlertDialog.Description>
          {error !== null && <ErrorNotice error={error} />}
          <div className={styles.actions}>
            <AlertDialog.Close render={<Button>{cancelLabel}</Button>} />
            <Button variant={danger ? 'danger' : 'primary'} busy={busy} onClick={onConfirm}>
              {confirmLabel}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

/** The row of buttons at the end of a dialog. */
export function DialogActions({ children }: { children: ReactNode }): ReactElement {
  return <div className={styles.actions}>{children}</div>;
}

import type { ReactElement } from 'react';
import { Button } from '../../components/button.tsx';
import { CopyBox } from '../../components/copy-box.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { Notice } from '../../components/notice.tsx';
import styles from './accounts.module.css';

/** A secret that the console made up: shown once, because it is kept only as a hash or encrypted. */
export function MadeSecret({
  title,
  label,
  secret,
  children,
  onClose,
}: {
  title: string;
  label: string;
  secret: string;
  children: string;
  onClose: () => void;
}): ReactElement {
  return (
    <Dialog open onClose={onClose} title={title}>
      <div className={styles.form}>
        <Notice tone="amber" title="Copy it now: it is not shown again.">
          {children}
        </Notice>
        <CopyBox text={secret} label={label} />
        <DialogActions>
          <Button variant="primary" onClick={onClose}>
            I have copied it
          </Button>
        </DialogActions>
      </div>
    </Dialog>
  );
}

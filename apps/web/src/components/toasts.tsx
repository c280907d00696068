import { Toast } from '@base-ui/react/toast';
import type { ReactElement, ReactNode } from 'react';
import { wordsFor } from '../words/error-words.ts';
import { IconButton } from './button.tsx';
import { Icon } from './icon.tsx';
import { cx } from './class-names.ts';
import styles from './toasts.module.css';

const manager = Toast.createToastManager();

/** Says that something was done. Read out politely; leaves by itself. */
export function toastDone(title: string, description?: string): void {
  manager.add({ title, ...(description === undefined ? {} : { description }), type: 'done', timeout: 5_000 });
}

/** Says that an action failed and what to do. Stays until it is closed. */
export function toastError(error: unknown): void {
  const words = wordsFor(error);
  manager.add({ title: words.title, description: words.remedy, type: 'error', priority: 'high', timeout: 0 });
}

/** Shows toasts above everything below it. */
export function Toasts({ children }: { children: ReactNode }): ReactElement {
  return (
    <Toast.Provider toastManager={manager} limit={3}>
      {children}
      <Toast.Portal>
        <Toast.Viewport className={cx(styles.viewport)}>
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function ToastList(): ReactElement[] {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className={cx(styles.toast)}>
      <Toast.Content className={cx(styles.content)}>
        <span className={toast.type === 'error' ? styles.bad : styles.good}>
          <Icon name={toast.type === 'error' ? 'warning' : 'check'} />
        </span>
        <div className={styles.text}>
          <Toast.Title className={cx(styles.title)} render={<p />} />
          <Toast.Description className={cx(styles.description)} />
        </div>
        <Toast.Close render={<IconButton icon="close" label="Dismiss" />} />
      </Toast.Content>
    </Toast.Root>
  ));
}

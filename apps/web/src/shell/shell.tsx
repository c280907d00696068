import { Dialog } from '@base-ui/react/dialog';
import { useState, type ReactElement, type ReactNode } from 'react';
import type { SessionView } from '@weir/protocol';
import { useInfo } from '../data/session.ts';
import { IconButton } from '../components/button.tsx';
import { cx } from '../components/class-names.ts';
import { Banners } from './banners.tsx';
import { Logo } from './logo.tsx';
import { Navigation } from './navigation.tsx';
import { UserMenu } from './user-menu.tsx';
import styles from './shell.module.css';

/** Frame of every page: navigation at the side, or behind a button where there is no room for it. */
export function Shell({ session, children }: { session: SessionView; children: ReactNode }): ReactElement {
  return (
    <div className={styles.shell}>
      <a href="#content" className={styles.skip}>
        Skip to the content
      </a>
      <header className={styles.top}>
        <NavigationDrawer />
        <Logo />
        <div className={styles.topUser}>
          <UserMenu session={session} />
        </div>
      </header>
      <header className={styles.side}>
        <div className={styles.brand}>
          <Logo />
        </div>
        <Navigation />
        <div className={styles.foot}>
          <UserMenu session={session} />
          <Version />
        </div>
      </header>
      <main id="content" className={styles.main} tabIndex={-1}>
        <Banners />
        {children}
      </main>
    </div>
  );
}

function NavigationDrawer(): ReactElement {
  const [open, setOpen] = useState(false);
  return (
    <Dialog.Root open={open} onOpenChange={(next) => setOpen(next)}>
      <Dialog.Trigger render={<IconButton icon="menu" label="Open the navigation" />} />
      <Dialog.Portal>
        <Dialog.Backdrop data-backdrop="" className={cx(styles.backdrop)} />
        <Dialog.Popup className={cx(styles.drawer)}>
          <Dialog.Title className="visually-hidden">Navigation</Dialog.Title>
          <div className={styles.drawerHead}>
            <Logo />
            <Dialog.Close render={<IconButton icon="close" label="Close the navigation" />} />
          </div>
          <Navigation onNavigate={() => setOpen(false)} />
          <div className={styles.foot}>
            <Version />
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Version(): ReactElement {
  const info = useInfo().data;
  return <p className={styles.version}>{info === undefined ? '\u00a0' : `Weir ${info.version}`}</p>;
}

import { Menu } from '@base-ui/react/menu';
import { useRef, type ReactElement } from 'react';
import { useLocation } from 'wouter';
import type { SessionView } from '@weir/protocol';
import { useLogout } from '../data/session.ts';
import { toastError } from '../components/toasts.tsx';
import { Icon } from '../components/icon.tsx';
import { cx } from '../components/class-names.ts';
import { ROLE_WORDS } from '../words/role-words.ts';
import { setTheme, useTheme, type Theme } from './theme.ts';
import styles from './user-menu.module.css';

const THEMES: readonly { value: Theme; label: string }[] = [
  { value: 'system', label: 'Same as system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

/** Who is logged in, the theme, and the way out. */
export function UserMenu({ session }: { session: SessionView }): ReactElement {
  const theme = useTheme();
  const logout = useLogout();
  const [, navigate] = useLocation();
  // The popup stays inside the page's header, so that it belongs to a landmark like everything else.
  const place = useRef<HTMLDivElement>(null);
  return (
    <div ref={place}>
      <Menu.Root>
        <Menu.Trigger className={cx(styles.trigger)} aria-label={`User menu of ${session.username}`}>
          <span className={styles.avatar}>
            <Icon name="user" />
          </span>
          <span className={cx(styles.who, styles.beside)}>
            <Who session={session} />
          </span>
          <Icon name="chevronDown" size={16} />
        </Menu.Trigger>
        <Menu.Portal container={place}>
          <Menu.Positioner positionMethod="fixed" sideOffset={6} align="start" collisionPadding={8}>
            <Menu.Popup className={cx(styles.popup)}>
              <div className={cx(styles.who, styles.within)}>
                <Who session={session} />
              </div>
              <Menu.RadioGroup value={theme} onValueChange={(value: Theme) => setTheme(value)}>
                <Menu.GroupLabel className={cx(styles.label)}>Theme</Menu.GroupLabel>
                {THEMES.map(({ value, label }) => (
                  <Menu.RadioItem key={value} value={value} className={cx(styles.item)} closeOnClick={false}>
                    <span className={styles.mark}>
                      <Menu.RadioItemIndicator>
                        <Icon name="check" size={16} />
                      </Menu.RadioItemIndicator>
                    </span>
                    {label}
                  </Menu.RadioItem>
                ))}
              </Menu.RadioGroup>
              <Menu.Separator className={cx(styles.separator)} />
              <Menu.Item className={cx(styles.item)} onClick={() => navigate('/settings/password')}>
                <span className={styles.mark} />
                Change password
              </Menu.Item>
              <Menu.Item className={cx(styles.item)} onClick={() => logout.mutate(undefined, { onError: toastError })}>
                <span className={styles.mark} />
                Log out
              </Menu.Item>
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
    </div>
  );
}

function Who({ session }: { session: SessionView }): ReactElement {
  return (
    <>
      <span className={styles.name}>{session.username}</span>
      <span className={styles.role}>{ROLE_WORDS[session.role].label}</span>
    </>
  );
}

import type { ComponentProps, ReactElement, ReactNode } from 'react';
import { Link } from 'wouter';
import { Icon, type IconName } from './icon.tsx';
import { cx } from './class-names.ts';
import styles from './button.module.css';

type Variant = 'primary' | 'secondary' | 'ghost' | 'danger';

interface Look {
  variant?: Variant;
  icon?: IconName;
  small?: boolean;
}

/** Class names of a button, also for elements that other libraries render. */
export function buttonClass({ variant = 'secondary', small = false }: Look, extra?: string): string {
  return cx(styles.button, styles[variant], small && styles.small, extra);
}

/**
 * A button with a text. While `busy` it keeps its width and its focus, tells so, and does nothing.
 */
export function Button({
  variant = 'secondary',
  icon,
  small = false,
  busy = false,
  children,
  className,
  onClick,
  ...rest
}: Look & { busy?: boolean; children: ReactNode } & Omit<ComponentProps<'button'>, 'children'>): ReactElement {
  return (
    <button
      type="button"
      {...rest}
      className={buttonClass({ variant, small }, className)}
      aria-disabled={busy ? true : rest['aria-disabled']}
      data-busy={busy ? '' : undefined}
      onClick={(event) => {
        if (busy) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {icon !== undefined && <Icon name={icon} size={small ? 16 : 18} />}
      <span>{children}</span>
    </button>
  );
}

/** A button that shows an icon alone; `label` is its name for screen readers and its tooltip. */
export function IconButton({
  icon,
  label,
  className,
  ...rest
}: { icon: IconName; label: string } & Omit<ComponentProps<'button'>, 'children'>): ReactElement {
  return (
    <button type="button" title={label} aria-label={label} {...rest} className={cx(styles.iconButton, className)}>
      <Icon name={icon} />
    </button>
  );
}

/** A link to another page that looks like a button. */
export function ButtonLink({
  href,
  variant = 'secondary',
  icon,
  small = false,
  children,
}: Look & { href: string; children: ReactNode }): ReactElement {
  return (
    <Link href={href} className={buttonClass({ variant, small })}>
      {icon !== undefined && <Icon name={icon} size={small ? 16 : 18} />}
      <span>{children}</span>
    </Link>
  );
}

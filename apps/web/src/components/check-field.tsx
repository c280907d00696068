import { useId, type ReactElement, type ReactNode } from 'react';
import styles from './check-field.module.css';

/** A yes or no with a name and an explanation. `as="switch"` for what takes effect as a whole. */
export function CheckField({
  label,
  hint,
  checked,
  disabled = false,
  as = 'checkbox',
  onChange,
}: {
  label: ReactNode;
  hint?: ReactNode;
  checked: boolean;
  disabled?: boolean;
  as?: 'checkbox' | 'switch';
  onChange: (checked: boolean) => void;
}): ReactElement {
  const id = useId();
  return (
    <div className={styles.field}>
      <input
        id={id}
        type="checkbox"
        role={as === 'switch' ? 'switch' : undefined}
        className={as === 'switch' ? styles.switch : styles.box}
        checked={checked}
        disabled={disabled}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => onChange(event.target.checked)}
      />
      <div className={styles.text}>
        <label htmlFor={id} className={styles.label}>
          {label}
        </label>
        {hint !== undefined && (
          <p id={`${id}-hint`} className={styles.hint}>
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}

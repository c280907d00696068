import { useId, type ComponentProps, type ReactElement, type ReactNode } from 'react';
import { cx } from './class-names.ts';
import styles from './field.module.css';

/** Names and descriptions that tie a control to its label, hint and error. */
export interface ControlProps {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
}

interface FieldTexts {
  label: ReactNode;
  hint?: ReactNode;
  /** What is wrong; null or undefined: nothing. */
  error?: string | null | undefined;
  /** A remark that is not an error, read out when it appears ("Raised to 100"). */
  note?: string | null | undefined;
}

/** Label, control, hint and error as one. */
export function Field({
  label,
  hint,
  error,
  note,
  children,
}: FieldTexts & { children: (control: ControlProps) => ReactNode }): ReactElement {
  const id = useId();
  const hasError = error !== null && error !== undefined && error !== '';
  const described = [hasError && `${id}-error`, hint !== undefined && `${id}-hint`].filter(Boolean).join(' ');
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      {children({
        id,
        'aria-describedby': described === '' ? undefined : described,
        'aria-invalid': hasError ? true : undefined,
      })}
      {hasError && (
        <p id={`${id}-error`} className={styles.error}>
          {error}
        </p>
      )}
      <output className={styles.note}>{note}</output>
      {hint !== undefined && (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** A line of text with its label. `unit` stands behind the text ("TPS"). */
export function TextField({
  label,
  hint,
  error,
  note,
  unit,
  className,
  ...input
}: FieldTexts & { unit?: string } & Omit<ComponentProps<'input'>, 'id'>): ReactElement {
  return (
    <Field label={label} hint={hint} error={error} note={note}>
      {(control) => (
        <span className={cx(styles.inputBox, className)}>
          <input {...input} {...control} className={styles.input} />
          {unit !== undefined && (
            <span className={styles.unit} aria-hidden="true">
              {unit}
            </span>
          )}
        </span>
      )}
    </Field>
  );
}

/** A choice among few, by the browser's own list: it works by touch, keyboard and screen reader everywhere. */
export function SelectField({
  label,
  hint,
  error,
  children,
  ...select
}: FieldTexts & { children: ReactNode } & Omit<ComponentProps<'select'>, 'id' | 'children'>): ReactElement {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <select {...select} {...control} className={cx(styles.input, styles.select)}>
          {children}
        </select>
      )}
    </Field>
  );
}

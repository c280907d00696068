import { useId, type ReactElement } from 'react';
import { MAX_SEARCH_CHARACTERS } from '@weir/protocol';
import { Icon } from './icon.tsx';
import styles from './search-field.module.css';

/** A filter over a list of agents: those that are here, and those that the console looks for. */
export function SearchField({
  label,
  value,
  placeholder,
  onChange,
}: {
  label: string;
  value: string;
  placeholder: string;
  onChange: (value: string) => void;
}): ReactElement {
  const id = useId();
  return (
    <span className={styles.box}>
      <label className="visually-hidden" htmlFor={id}>
        {label}
      </label>
      <Icon name="search" size={16} />
      <input
        id={id}
        type="search"
        className={styles.input}
        value={value}
        placeholder={placeholder}
        maxLength={MAX_SEARCH_CHARACTERS}
        onChange={(event) => onChange(event.target.value)}
      />
    </span>
  );
}

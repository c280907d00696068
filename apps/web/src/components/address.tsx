import { Fragment, type ReactElement } from 'react';
import { addressParts } from '../format/address-parts.ts';
import styles from './address.module.css';

/** A network address, which goes on in the next line between its parts: no port and no label is torn apart where they fit. */
export function Address({ address }: { address: string }): ReactElement {
  return (
    <span className={styles.address}>
      {addressParts(address).map((part, index) => (
        <Fragment key={`${index} ${part}`}>
          {index > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </span>
  );
}

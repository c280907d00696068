import { useEffect, useRef, type ReactElement } from 'react';
import type { FieldChange } from '@weir/protocol';
import { formatClock } from '../format/time.ts';
import { Button } from './button.tsx';
import { ChangeList } from './change-list.tsx';
import styles from './changed-meanwhile.module.css';
import { Age } from './countdown.tsx';
import { Notice } from './notice.tsx';

/**
 * Somebody else saved what a form is being filled in for: who, when and what, and what is to become of what was typed. Nothing is
 * saved before that is decided.
 */
export function ChangedMeanwhile({
  what,
  changedBy,
  changedAtMs,
  changes,
  typed,
  refused,
  onKeep,
  onLoad,
}: {
  /** What was saved: `these settings`. */
  what: string;
  changedBy: string;
  changedAtMs: number;
  changes: readonly FieldChange[];
  /** Whether a field was changed in the form, too. */
  typed: (field: string) => boolean;
  /** The console has refused a save for it: it is brought into sight. */
  refused: boolean;
  onKeep: () => void;
  onLoad: () => void;
}): ReactElement {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (refused) box.current?.focus();
  }, [refused]);
  return (
    <div ref={box} tabIndex={-1} className={styles.box}>
      <Notice
        tone="amber"
        live
        title={
          <>
            {changedBy} changed {what} {/* Read out once, not anew with each second that passes. */}
            <span aria-hidden="true">
              <Age atMs={changedAtMs} />
            </span>
            <span className="visually-hidden">at {formatClock(changedAtMs)}</span>.
          </>
        }
      >
        <div className={styles.content}>
          <ChangeList changes={changes} typed={typed} />
          <p>Nothing of yours is saved yet. If you keep it, the fields that you did not touch take these values.</p>
          <div className={styles.actions}>
            <Button small onClick={onKeep}>
              Keep what I typed
            </Button>
            <Button small onClick={onLoad}>
              Load theirs
            </Button>
          </div>
        </div>
      </Notice>
    </div>
  );
}

import { useRef, useState, type ReactElement } from 'react';
import { Button } from './button.tsx';
import styles from './copy-box.module.css';

/** How long the button says "Copied", in ms. */
const COPIED_MS = 2_500;

/** A command to run elsewhere, with a button that copies it. */
export function CopyBox({ text, label }: { text: string; label: string }): ReactElement {
  const code = useRef<HTMLElement>(null);
  const [outcome, setOutcome] = useState<'copied' | 'selected' | null>(null);
  const copy = async (): Promise<void> => {
    setOutcome((await copyText(text, code.current)) ? 'copied' : 'selected');
    setTimeout(() => setOutcome(null), COPIED_MS);
  };
  return (
    <div className={styles.box}>
      <pre className={styles.pre} aria-label={label}>
        <code ref={code}>{text}</code>
      </pre>
      <Button small icon={outcome === 'copied' ? 'check' : 'copy'} onClick={() => void copy()}>
        {outcome === 'copied' ? 'Copied' : 'Copy'}
      </Button>
      <output className="visually-hidden">
        {outcome === 'copied' && 'Copied to the clipboard'}
        {outcome === 'selected' && 'Selected; copy it with the keyboard'}
      </output>
    </div>
  );
}

/**
 * Copies, or selects the text when the browser allows neither way: the clipboard API needs HTTPS or localhost, and
 * consoles are often opened by plain address inside a data centre.
 */
async function copyText(text: string, element: HTMLElement | null): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    if (element === null) return false;
    getSelection()?.selectAllChildren(element);
    // oxlint-disable-next-line typescript/no-deprecated -- the only way without a secure context
    return document.execCommand('copy');
  }
}

import { splitKeys } from './top-state.ts';

/** A terminal that is drawn anew again and again, and hears keys. */
export interface LiveScreen {
  size(): { columns: number; lines: number };
  draw(lines: readonly string[]): void;
  /** Gives the terminal back as it was. */
  close(): void;
}

const ALTERNATE_ON = '\u001b[?1049h\u001b[?25l';
const ALTERNATE_OFF = '\u001b[?25h\u001b[?1049l';
const HOME = '\u001b[H';
const CLEAR_TO_LINE_END = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';

/** Takes the process's terminal: another screen than the one with the history, no echo, keys one by one. */
export function openLiveScreen(on: { key: (key: string) => void; resize: () => void }): LiveScreen {
  const { stdin, stdout } = process;
  const onData = (data: Buffer): void => {
    for (const key of splitKeys(data.toString('utf8'))) on.key(key);
  };
  stdout.write(ALTERNATE_ON);
  if (stdin.isTTY) {
    stdin.setRawMode(true);
    stdin.on('data', onData);
    stdin.resume();
  }
  stdout.on('resize', on.resize);
  return {
    size: () => ({ columns: stdout.columns || 80, lines: stdout.rows || 24 }),
    // From the top over what is there, so that nothing flickers.
    draw: (lines) => {
      stdout.write(`${HOME}${lines.map((line) => `${line}${CLEAR_TO_LINE_END}`).join('\r\n')}${CLEAR_BELOW}`);
    },
    close: () => {
      stdout.off('resize', on.resize);
      if (stdin.isTTY) {
        stdin.off('data', onData);
        stdin.setRawMode(false);
        stdin.pause();
      }
      stdout.write(ALTERNATE_OFF);
    },
  };
}

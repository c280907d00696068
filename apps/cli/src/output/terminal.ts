import { CommandError, EXIT_CODES } from './command-error.ts';
import { tooManyOpenFiles } from './open-files.ts';

/** Where a command writes: results to `out`, progress and errors to `err`, so that `--json` output stays clean. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** Whether `err` is a terminal that can redraw a line. */
  readonly interactive: boolean;
  readonly columns: number;
}

/** The process's own streams. */
export function processTerminal(): Terminal {
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    interactive: process.stderr.isTTY,
    columns: process.stderr.columns || 80,
  };
}

/** Writes an error as people or programs want it and returns the exit code. Unexpected errors keep their stack. */
export function reportError(terminal: Terminal, thrown: unknown, json: boolean): number {
  const error = thrown instanceof CommandError ? thrown : (tooManyOpenFiles(thrown) ?? thrown);
  if (error instanceof CommandError) {
    if (json) {
      const { code, message, remedy } = error;
      terminal.out(`${JSON.stringify({ error: { code, message, ...(remedy === undefined ? {} : { remedy }) } })}\n`);
    } else {
      terminal.err(`weir: ${error.message}\n${error.remedy === undefined ? '' : `  ${error.remedy}\n`}`);
    }
    return error.exitCode;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  if (json) terminal.out(`${JSON.stringify({ error: { code: 'internal', message: text } })}\n`);
  else terminal.err(`weir: unexpected error\n${text}\n`);
  return EXIT_CODES.cannotRun;
}

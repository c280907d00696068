import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { CommandError } from '../output/command-error.ts';

const entry = fileURLToPath(new URL('../../bin/weir.js', import.meta.url));

/** How long a child may take to say that it is ready, in ms: a cold start on a busy two-core machine. */
const READY_TIMEOUT_MS = 60_000;

/** How long a child may take to end after SIGTERM before it is killed, in ms (agents drain for up to 10 s). */
const STOP_TIMEOUT_MS = 15_000;

/** Last lines of a child's error output that are kept for an error message. */
const KEPT_ERROR_LINES = 20;

/** A `weir` command that runs in a process of its own. */
export interface Child {
  readonly pid: number;
  /** What it said when it became ready (its first line of `--json` output). */
  readonly ready: Record<string, unknown>;
  /** Resolves with the exit code, or null when a signal ended it. */
  readonly ended: Promise<number | null>;
  /** SIGTERM, then SIGKILL when it does not end in time. */
  stop(): Promise<void>;
  /** SIGKILL: what a crashed machine looks like to the others. */
  kill(): Promise<void>;
}

/**
 * Starts `weir <args>` and waits for the JSON line that says it is ready.
 *
 * @throws CommandError as the child reports it; `child-failed` when it ends first or says nothing in time, with the end of
 * its error output.
 */
export async function startChild(args: readonly string[], environment: Record<string, string> = {}): Promise<Child> {
  const child = spawn(process.execPath, [entry, ...args, '--end-with-input'], {
    env: { ...process.env, ...environment },
    // A Ctrl-C at the terminal is for whoever started it, which stops it in its order: both would be one too many.
    detached: true,
    // Held open and never written to: it closes with this process, however that ends, and the child ends with it.
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const errors: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => {
    errors.push(line);
    if (errors.length > KEPT_ERROR_LINES) errors.shift();
  });
  const ended = once(child, 'exit').then(([code]: (number | null)[]) => code ?? null);
  const ready = await firstLine(child, args, errors, ended);
  return {
    pid: child.pid ?? 0,
    ready,
    ended,
    stop: () => end(child, ended, 'SIGTERM'),
    kill: () => end(child, ended, 'SIGKILL'),
  };
}

/**
 * What a child's first line of `--json` output says.
 *
 * @throws CommandError the child's own, when it could not start
 */
export function readyOf(line: string): Record<string, unknown> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own commands print one JSON object
  const said = JSON.parse(line) as Record<string, unknown> & {
    error?: { code: string; message: string; remedy?: string };
  };
  if (said.error === undefined) return said;
  const { code, message, remedy } = said.error;
  throw new CommandError(code, message, remedy === undefined ? {} : { remedy });
}

async function firstLine(
  child: ChildProcess & { stdout: NodeJS.ReadableStream },
  args: readonly string[],
  errors: readonly string[],
  ended: Promise<number | null>,
): Promise<Record<string, unknown>> {
  const lines = createInterface({ input: child.stdout });
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), READY_TIMEOUT_MS);
  const outcome = await Promise.race([
    once(lines, 'line', { signal: timeout.signal }).then(
      ([line]: string[]) => ({ line: line ?? '' }),
      () => ({ problem: `said nothing for ${READY_TIMEOUT_MS / 1_000} s` }),
    ),
    ended.then((code) => ({ problem: `ended with code ${code ?? 'none'}` })),
  ]);
  clearTimeout(timer);
  if ('line' in outcome) {
    // From here on the output is of no interest, but it must be drained so that the child never blocks on it.
    child.stdout.resume();
    return readyOf(outcome.line);
  }
  child.kill('SIGKILL');
  throw new CommandError('child-failed', `"weir ${args[0] ?? ''}" ${outcome.problem}:\n  ${errors.join('\n  ')}`);
}

async function end(child: ChildProcess, ended: Promise<number | null>, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(timer);
}
